import { JsonNumber } from '../../util/json/lossless.ts';
import type { RawSpan } from '../raw-span.ts';
import { isTruthy, type Tree, wholeNumber } from '../tree.ts';
import { type UsageCount, usageCounts } from './convention.ts';
import { findFirst, sourcesOf } from './find.ts';

/** What was counted; a count that is not told is null. */
export type Usage = Record<UsageCount, number | null>;

const sources = usageCounts.map((name) => [name, sourcesOf(({ usage }) => usage?.[name])] as const);

/** The counts of a span; null when it tells none. */
export function usageOf(span: RawSpan): Usage | null {
  const usage = Object.fromEntries(usageCounts.map((name) => [name, null])) as Usage;
  const keys = new Map<UsageCount, string>();
  for (const [name, of] of sources) {
    const found = findFirst(span, of, isCount);
    if (found === null) continue;
    usage[name] = wholeNumber(found.value);
    keys.set(name, found.source.key);
  }
  if (keys.size === 0) return null;
  countOnce(usage, keys, 'input_tokens', 'prompt_tokens');
  countOnce(usage, keys, 'output_tokens', 'completion_tokens');
  usage.total_tokens ??=
    sum(usage.prompt_tokens, usage.completion_tokens) ?? sum(usage.input_tokens, usage.output_tokens);
  return usage;
}

/** Zero counts, `false` and the empty text do not. */
function isCount(value: Tree): boolean {
  return isTruthy(value) || (value instanceof JsonNumber && value.text === '0');
}

/**
 * A price is paid for input and prompt tokens together. Two conventions on one span often tell one count by its two
 * names: the standard's counts then, and the other's only where the standard has none.
 */
function countOnce(usage: Usage, keys: Map<UsageCount, string>, name: UsageCount, otherName: UsageCount): void {
  if (usage[name] === null || usage[otherName] === null) return;
  const [isStandard, isOtherStandard] = [name, otherName].map((each) => keys.get(each)!.startsWith('gen_ai.'));
  if (isStandard && !isOtherStandard) usage[otherName] = null;
  if (isOtherStandard && !isStandard) usage[name] = null;
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
