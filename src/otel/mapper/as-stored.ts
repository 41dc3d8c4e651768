import { spanCallId } from '../../domain/calls/ids.ts';
import type { MappedSpan } from './mapped-span.ts';

/**
 * The call of a span with the id it is stored under. Another span of the project can have the same id in another trace;
 * then one of them, and everything that refers to it, has an id derived from both.
 */
export function asStored(call: MappedSpan, row: { id: string; parentId: string }, spanTraceId: string): MappedSpan {
  const isMoved = call.parentId !== '' && row.parentId === spanCallId(spanTraceId, call.parentId);
  return {
    ...call,
    id: row.id,
    parentId: isMoved ? row.parentId : call.parentId,
    turnId: call.turnId === call.id ? row.id : call.turnId,
  };
}
