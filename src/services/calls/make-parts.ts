import {
  type CallAuthor,
  completeToPart,
  endToPart,
  type NewEnd,
  type NewStart,
  startToPart,
} from '../../domain/calls/new-call.ts';
import type { CallPart } from '../../domain/calls/part.ts';
import { isLarge } from '../../util/large-text.ts';
import { workOn } from '../large/large.ts';

/** Makes the parts of calls (`domain/calls/new-call.ts`), in another thread if payloads are large. */

export async function makeStart(start: NewStart, author: CallAuthor): Promise<CallPart> {
  const isHeavy = isLarge(start.attributes, start.inputs, start.otelDump);
  return isHeavy ? workOn('start', start, author) : startToPart(start, author);
}

export async function makeEnd(end: NewEnd & { id: string }): Promise<CallPart> {
  return isLarge(end.output, end.summary) ? workOn('end', end) : endToPart(end);
}

export async function makeComplete(call: NewStart & NewEnd, author: CallAuthor): Promise<CallPart> {
  const isHeavy = isLarge(call.attributes, call.inputs, call.otelDump, call.output, call.summary);
  return isHeavy ? workOn('complete', call, author) : completeToPart(call, author);
}
