import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { CallUsage } from './call-usage.ts';
import { type Fees, feesOf } from './fees.ts';
import type { ReportedUsage, ReportingCall } from './reported-usage.ts';
import { mayHaveTerms, partOfTerms, type RequestTerm, requestTerms, termsInAnswers } from './request-terms.ts';

/**
 * Adds the terms of the request and the fees of tools to a usage: those that it names, otherwise those of the answer of an
 * SDK's call.
 */
export function addTerms({ usage, counts }: ReportedUsage, call: ReportingCall): CallUsage {
  if (usage.input + usage.output === 0 && !usage.total) return usage;
  const isSpan = call.mapperVersion > 0;
  const fees = isSpan ? null : feesOf(call.output);
  const named = termsNamed(counts);
  const found = named.length > 0 || isSpan ? named : termsAnswered(call.output);
  const { web_searches, other_fees } = fees ?? namedFees(counts);
  if (found.length === 0 && web_searches + other_fees === 0) return usage;
  const parts = { ...usage.parts };
  if (web_searches > 0) parts.web_searches ??= web_searches;
  if (other_fees > 0) parts.other_fees = other_fees;
  for (const [term, word] of found) {
    const part = partOfTerms(term, word);
    if (part !== null) parts[part] = 1;
  }
  return { ...usage, parts };
}

function termsNamed(counts: Record<string, unknown>): (readonly [RequestTerm, string])[] {
  return requestTerms.flatMap((term) => {
    if (counts[term] === undefined) return [];
    return [counts[term]].flat().flatMap((word) => (typeof word === 'string' ? [[term, word] as const] : []));
  });
}

/** As the mapper of spans writes them. */
function namedFees({ other_fees }: Record<string, unknown>): Fees {
  return { web_searches: 0, other_fees: Number.isSafeInteger(other_fees) ? (other_fees as number) : 0 };
}

function termsAnswered(output: string): (readonly [RequestTerm, string])[] {
  if (output.length > answerCharsMax || !mayHaveTerms(output)) return [];
  let answer: unknown;
  try {
    answer = parsePlain(output);
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
