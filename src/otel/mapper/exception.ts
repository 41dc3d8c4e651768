import type { RawSpan } from '../raw-span.ts';
import { opened, plainText, valueAt } from '../tree.ts';

/** What went wrong; never empty for a span that failed, since by this text a call counts as failed. */
export function exceptionOf(span: RawSpan): string {
  const { status, events } = span;
  if (status.code !== 'ERROR') return '';
  if (status.message !== '') return status.message;
  const thrown = events.find(({ name }) => name === 'exception');
  const message = thrown && valueAt(thrown.attributes.tree, ['exception', 'message']);
  return plainText(message) || errorAttribute(span) || 'error';
}

/** What some libraries write in place of a status message. */
function errorAttribute({ attributes: { tree } }: RawSpan): string {
  for (const key of ['error.message', 'exception.message', 'error', 'error.type']) {
    const value = opened(tree.get(key) ?? valueAt(tree, key.split('.')));
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}
