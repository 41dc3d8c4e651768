import type { Constraint } from '../../../engine/grammars/constraint.ts';
import { parsePlain } from '../../../util/json/parse.ts';

/**
 * A constraint as `structured_outputs` of vLLM. Heddle writes classes of non-ASCII characters as bytes, which its own grammar library
 * compares (`chat/structured/character-class.ts`); vLLM's compares characters.
 */
export function structuredOutputs(constraint: Constraint): Record<string, unknown> {
  if (constraint.kind === 'ebnf') return { grammar: withCodePoints(constraint.grammar) };
  return { structural_tag: JSON.stringify(tagWithCodePoints(parsePlain(constraint.tag))) };
}

/** Writes sequences of classes of bytes as one class of characters each. */
export function withCodePoints(text: string): string {
  return text.replace(byteSequence, (sequence) => {
    const ranges = [...sequence.matchAll(byteClass)].map(([, low, dash, high]) => {
      const from = Number.parseInt(low!, 16);
      return dash === undefined ? [from, from] : [from, Number.parseInt(high!, 16)];
    });
    const [from, to] = [0, 1].map((end) => Buffer.from(ranges.map((range) => range[end]!)).toString('utf8'));
    return from === to ? `[${from}]` : `[${from}-${to}]`;
  });
}

/** The strings of a structural tag that are regular expressions or grammars. */
function tagWithCodePoints(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tagWithCodePoints);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      typeof each === 'string' && ['pattern', 'grammar'].includes(key) ? withCodePoints(each) : tagWithCodePoints(each),
    ]),
  );
}

/** One class of bytes: `[\xd0-\xd1]`, or `[\xd0\xd0]` for a single one. */
const byteClass = /\[\\x([0-9a-f]{2})(?:(-)?\\x([0-9a-f]{2}))?\]/g;
/** The first byte of a character, and those after it. */
const byteSequence =
  /\[\\x(?:c[2-9a-f]|[d-f][0-9a-f])(?:-?\\x[0-9a-f]{2})?\](?: ?\[\\x[89ab][0-9a-f](?:-?\\x[0-9a-f]{2})?\])+/g;
