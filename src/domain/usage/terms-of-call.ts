import { isObject } from '../../util/json/own-member.ts';
import type { CallUsage } from './call-usage.ts';
import { type Fees, feesOf } from './fees.ts';
import { mayHaveTerms, partOfTerms, type RequestTerm, requestTerms, termsInAnswers } from './request-terms.ts';
import type { ReportedUsage, ReportingCall } from './summary-usage.ts';

/**
 * Adds the terms of the request and the fees of tools to a usage: those that it names, otherwise those of the answer of an
 * SDK's call.
 */
export function addTerms({ usage, counts }: ReportedUsage, call: ReportingCall): CallUsage {
  if (usage.input + usage.output === 0 && !usage.total) return usage;
  const fees = call.mapperVersion > 0 ? null : feesOf(call.output);
  const named = (term: RequestTerm) => [counts[term]].flat().filter((word) => typeof word === 'string');
  const words = requestTerms.flatMap((term) => named(term).map((word) => [term, word] as const));
  const found = words.length > 0 || call.mapperVersion > 0 ? words : termsAnswered(call.output);
  const parts = { ...usage.parts };
  const { web_searches, other_fees } = fees ?? namedFees(counts);
  if (web_searches > 0) parts.web_searches ??= web_searches;
  if (other_fees > 0) parts.other_fees = other_fees;
  for (const [term, word] of found) {
    const part = partOfTerms(term, word);
    if (part !== null) parts[part] = 1;
  }
  return { ...usage, parts };
}

/** As the mapper of spans writes them. */
function namedFees({ other_fees }: Record<string, unknown>): Fees {
  return { web_searches: 0, other_fees: Number.isSafeInteger(other_fees) ? (other_fees as number) : 0 };
}

function termsAnswered(output: string): (readonly [RequestTerm, string])[] {
  if (output.length > answerCharsMax || !mayHaveTerms(output)) return [];
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    return [];
  }
  return requestTerms.flatMap((term) => {
    const word = termsInAnswers[term].map((path) => valueAt(answer, path)).find((value) => typeof value === 'string');
    return typeof word === 'string' ? [[term, word] as const] : [];
  });
}

const answerCharsMax = 1_000_000;

function valueAt(answer: unknown, path: string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), answer);
}
