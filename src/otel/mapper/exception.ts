import type { RawSpan } from '../raw-span.ts';
import { plainText, valueAt } from '../tree.ts';

/** What went wrong; never empty for a span that failed, since by this text a call counts as failed. */
export function exceptionOf({ status, events }: RawSpan): string {
  if (status.code !== 'ERROR') return '';
  if (status.message !== '') return status.message;
  const thrown = events.find(({ name }) => name === 'exception');
  const message = thrown && valueAt(thrown.attributes.tree, ['exception', 'message']);
  return plainText(message) || 'error';
}
