import { spanCallId } from '../../domain/calls/ids.ts';
import type { MappedSpan } from './mapper.ts';

/**
 * The call of a span under the id that it is stored by. Another span of the project can have the same id in another trace;
 * one of them, and what refers to it, has an id made of both.
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
