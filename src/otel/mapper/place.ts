import { isCallId, isTraceId } from '../../domain/calls/ids.ts';
import type { RawSpan } from '../raw-span.ts';
import { plainText, valueAt } from '../tree.ts';

/**
 * The position of a call: its trace and parent. Weave's SDK marks spans that start inside a call it traces itself with
 * that call. They then belong to its trace, and those without a parent span are its children.
 */
export function placeOf(span: RawSpan): { traceId: string; parentId: string } {
  const { traceId, parentId, attributes } = span;
  const at = (name: string) => plainText(valueAt(attributes.tree, ['weave', 'parent_call', name]));
  const [callId, callTraceId] = [at('id'), at('trace_id')];
  if (!isCallId(callId) || !isTraceId(callTraceId)) return { traceId, parentId };
  return { traceId: callTraceId, parentId: parentId === '' ? callId : parentId };
}
