import type { RawSpan } from '../raw-span.ts';
import { plainText, valueAt } from '../tree.ts';

/**
 * Logfire announces a span that has just begun as a span of its own below it. It is read as that span, still running; all
 * other spans are read as they are.
 */
export function asBegun(span: RawSpan): RawSpan {
  const at = (name: string) => plainText(valueAt(span.attributes.tree, ['logfire', name]));
  if (at('span_type') !== 'pending_span' || span.parentId === '') return span;
  const above = at('pending_parent_id');
  return { ...span, spanId: span.parentId, parentId: /^0*$/.test(above) ? '' : above, endTime: 0n };
}
