import type { RawSpan } from '../raw-span.ts';
import { plainText, valueAt } from '../tree.ts';

/**
 * Logfire announces a span that has just started with another span below it. This is read as the announced span, still
 * running; all other spans are read unchanged.
 */
export function asBegun(span: RawSpan): RawSpan {
  const at = (name: string) => plainText(valueAt(span.attributes.tree, ['logfire', name]));
  if (at('span_type') !== 'pending_span' || span.parentId === '') return span;
  const above = at('pending_parent_id');
  return { ...span, spanId: span.parentId, parentId: /^0*$/.test(above) ? '' : above, endTime: 0n };
}
