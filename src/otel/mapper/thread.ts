import type { RawSpan } from '../raw-span.ts';
import { isTruthy, plainText, type Tree, valueAt } from '../tree.ts';
import { findFirst, sourcesOf } from './find.ts';

export const threadSources = sourcesOf(({ threadId }) => threadId);

/** Ids of conversations that are only on the spans of a turn. Other conventions put theirs on every span of a trace. */
const turnKeys = [
  ['gen_ai', 'conversation', 'id'],
  ['gcp', 'vertex', 'agent', 'session_id'],
];

/** The conversation of a span, and whether the span is one turn of it; empty texts if there is none. */
export function threadOf(span: RawSpan): { threadId: string; turnId: string } {
  const found = findFirst(span, threadSources);
  if (found === null) return { threadId: '', turnId: '' };
  return { threadId: plainText(found.value), turnId: isTurn(span, found.source.key) ? span.spanId : '' };
}

/** The span's own attributes decide; without them, ids that all spans of a trace carry make the root a turn. */
function isTurn(span: RawSpan, threadKey: string): boolean {
  const said = at(span, ['wandb', 'is_turn']);
  if (typeof said === 'boolean') return said;
  if (isTruthy(said) || turnKeys.some((key) => isTruthy(at(span, key)))) return true;
  return threadKey !== 'wandb.thread_id' && span.parentId === '';
}

function at({ attributes }: RawSpan, path: readonly string[]): Tree | undefined {
  return valueAt(attributes.tree, path);
}
