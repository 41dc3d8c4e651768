import type { Complete, End, Start } from '../../contract/calls/parts.ts';
import { completeToPart, endToPart, startToPart, type WireContext } from '../../domain/calls/new-call.ts';
import type { CallPart } from '../../domain/calls/part.ts';
import { isLarge, workOn } from '../../services/large/large.ts';

/** The parts of calls as `domain/calls/from-wire.ts` makes them; of large payloads, in another thread. */

export async function makeStart(
  start: Start,
  context: WireContext,
): Promise<{ id: string; traceId: string; part: CallPart }> {
  const { attributes, inputs, otel_dump } = start;
  if (!isLarge(attributes.text, inputs.text, otel_dump?.text)) return startToPart(start, context);
  const id = start.id ?? context.newId();
  const traceId = start.trace_id ?? context.newId();
  return { id, traceId, part: await workOn('start', { ...start, id, trace_id: traceId }, dataOf(context)) };
}

export async function makeEnd(end: End): Promise<CallPart> {
  return isLarge(end.output?.text, end.summary.text) ? workOn('end', end) : endToPart(end);
}

export async function makeComplete(call: Complete, context: WireContext): Promise<CallPart> {
  const { attributes, inputs, otel_dump, output, summary } = call;
  const isHeavy = isLarge(attributes.text, inputs.text, otel_dump?.text, output?.text, summary.text);
  return isHeavy ? workOn('complete', call, dataOf(context)) : completeToPart(call, context);
}

function dataOf({ userId, redacts }: WireContext) {
  return { userId, redacts };
}
