import type { RawSpan } from '../raw-span.ts';
import { plainText, valueAt } from '../tree.ts';

/**
 * Whether a span only records the tokens of a request that has ended, as ag2 does. The request usually has its own span
 * beside it, unless it was made by a client that ag2 does not trace.
 */
export function isRecordOfRequest({ attributes: { tree } }: RawSpan): boolean {
  if (!tree.has('ag2')) return false;
  const of = (path: string) => plainText(valueAt(tree, ['ag2', ...path.split('.')]));
  return of('span.type') === 'usage' && of('usage.kind') === 'model_call';
}
