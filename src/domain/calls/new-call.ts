import type { Complete, End, Start } from '../../contract/calls/parts.ts';
import { badRequest } from '../../contract/errors.ts';
import { forEachString } from '../../util/json/strings.ts';
import { isRef, parseRef } from '../refs.ts';
import { isCallId, isTraceId } from './ids.ts';
import type { CallPart, EndFields, StartFields } from './part.ts';
import { redactCredentials } from './redaction.ts';
import { checkCount, checkTime } from './storable.ts';
import { checkUsageCounts } from './usage-counts.ts';

/** What the server adds to what a client says of a call. */
export type WireContext = {
  userId: string;
  redacts: boolean;
  /** Makes an id where the client sent none. */
  newId(): string;
};

/** A start with its ids filled in. @throws ApiError 400 for an id, name, ref or value no call can have. */
export function startToPart(start: Start, context: WireContext): { id: string; traceId: string; part: CallPart } {
  const id = start.id ?? context.newId();
  const fields = startFields({ ...start, id, trace_id: start.trace_id ?? context.newId() }, context);
  return { id, traceId: fields.traceId, part: { kind: 'start', start: fields } };
}

/** @throws ApiError 400 for an id no call can have, and for a value that cannot be stored. */
export function endToPart(end: End): CallPart {
  checkCallId(end.id);
  return { kind: 'end', end: endFields(end) };
}

/** @throws ApiError 400 for an id, name or ref no call can have, and for a value that cannot be stored. */
export function completeToPart(complete: Complete, context: WireContext): CallPart {
  return { kind: 'complete', start: startFields(complete, context), end: endFields(complete) };
}

/** @throws ApiError 400 when a display name is too long. */
export function checkDisplayName(name: string): void {
  if ([...name].length > displayNameMax) {
    throw badRequest(`The display name is too long: ${[...name].length} characters. Max length is ${displayNameMax}`);
  }
}

const opNameMax = 128;
const displayNameMax = 1024;

type StartWithIds = Omit<Start, 'id' | 'trace_id'> & { id: string; trace_id: string };

function startFields(start: StartWithIds, { userId, redacts }: WireContext): StartFields {
  checkCallId(start.id);
  if (start.parent_id) checkCallId(start.parent_id);
  if (!isTraceId(start.trace_id)) {
    throw badRequest(`Invalid UUID: trace_id ${show(start.trace_id)} is neither a lower-case UUID nor 32 characters.`);
  }
  checkOpName(start.op_name);
  checkDisplayName(start.display_name ?? '');
  checkRunId(start.wb_run_id);
  checkCount('wb_run_step', start.wb_run_step);
  checkTime('started_at', start.started_at);
  const clean = (text: string) => (redacts ? redactCredentials(text) : text);
  return {
    traceId: start.trace_id,
    parentId: start.parent_id ?? '',
    threadId: start.thread_id ?? '',
    turnId: start.turn_id ?? '',
    opName: start.op_name,
    displayName: start.display_name ?? '',
    startedAt: start.started_at,
    attributes: clean(start.attributes.text),
    inputs: clean(start.inputs.text),
    otelDump: start.otel_dump ? clean(start.otel_dump.text) : '',
    mapperVersion: 0,
    inputRefs: refsIn(start.inputs.text),
    wbUserId: userId,
    wbRunId: start.wb_run_id ?? '',
    wbRunStep: start.wb_run_step,
  };
}

type EndWire = Pick<End, 'ended_at' | 'exception' | 'output' | 'summary' | 'wb_run_step_end'>;

function endFields(end: EndWire): EndFields {
  checkCount('wb_run_step_end', end.wb_run_step_end);
  checkTime('ended_at', end.ended_at);
  checkUsageCounts(end.summary.text);
  const output = end.output?.text ?? 'null';
  return {
    endedAt: end.ended_at,
    exception: end.exception ?? '',
    output,
    summary: end.summary.text,
    outputRefs: refsIn(output),
    wbRunStepEnd: end.wb_run_step_end,
  };
}

/** Every string of minified JSON that is a well-formed ref, once. */
export function refsIn(text: string): string[] {
  if (!text.includes('weave:///')) return [];
  const refs = new Set<string>();
  const visit = (value: string) => {
    if (isRef(value)) refs.add(value);
  };
  forEachString(text, visit, { containing: 'weave:///' });
  return [...refs];
}

/** @throws ApiError 400 for an id no call can have. */
export function checkCallId(id: string): void {
  if (!isCallId(id)) {
    throw badRequest(`Invalid UUID: ${show(id)} is neither a lower-case UUID nor the 16 characters of a span id.`);
  }
}

function checkOpName(name: string): void {
  if (name.startsWith('weave:///')) {
    if (parseRef(name)?.kind !== 'op') {
      throw badRequest(
        `Invalid op_name ${show(name)}: a ref must be one of an op, weave:///entity/project/op/name:digest`,
      );
    }
  } else if ([...name].length > opNameMax) {
    throw badRequest(`The op_name is too long: ${[...name].length} characters. Max length is ${opNameMax}`);
  }
}

function checkRunId(runId: string | null): void {
  if (runId && !/^[^/:]+\/[^/:]+\/[^/:]+$/.test(runId)) {
    throw badRequest(`Invalid wb_run_id ${show(runId)}: expected entity/project/run`);
  }
}

function show(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
