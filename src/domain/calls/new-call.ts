import { brokenRule } from '../../util/failures.ts';
import { forEachString } from '../../util/json/strings.ts';
import { isRef, parseRef } from '../refs.ts';
import type { EndFields, Micros, StartFields } from './call-row.ts';
import { isCallId, isTraceId } from './ids.ts';
import type { CallPart } from './part.ts';
import { redactCredentials } from './redaction.ts';
import { checkCount, checkTime } from './storable.ts';
import { checkUsageCounts } from './usage-counts.ts';

/** The fields known when a call starts. Payloads are minified JSON text. */
export type NewStart = {
  id: string;
  traceId: string;
  /** A name, or the ref of an op: `weave:///entity/project/op/name:digest`. */
  opName: string;
  startedAt: Micros;
  attributes: string;
  inputs: string;
  displayName?: string | null;
  parentId?: string | null;
  threadId?: string | null;
  turnId?: string | null;
  otelDump?: string | null;
  /** `entity/project/run`. */
  runId?: string | null;
  /** Digits, because a number would lose precision. */
  runStep?: string | null;
};

/** The fields known when a call ends. */
export type NewEnd = {
  endedAt: Micros;
  exception?: string | null;
  /** JSON text; null and absent are stored as JSON's null. */
  output?: string | null;
  summary: string;
  runStepEnd?: string | null;
};

/** Who creates a call, and whether its payloads are searched for credentials. */
export type CallAuthor = { userId: string; redacts: boolean };

/** @throws Failure for an invalid id, name, ref or value. */
export function startToPart(start: NewStart, author: CallAuthor): CallPart {
  return { kind: 'start', start: startFields(start, author) };
}

/** @throws Failure for an invalid id, and for a value that cannot be stored. */
export function endToPart({ id, ...end }: NewEnd & { id: string }): CallPart {
  checkCallId(id);
  return { kind: 'end', end: endFields(end) };
}

/** @throws Failure for an invalid id, name or ref, and for a value that cannot be stored. */
export function completeToPart(call: NewStart & NewEnd, author: CallAuthor): CallPart {
  return { kind: 'complete', start: startFields(call, author), end: endFields(call) };
}

/** @throws Failure for an invalid id or display name. */
export function renameToPart(id: string, displayName: string): CallPart {
  checkCallId(id);
  checkDisplayName(displayName);
  return { kind: 'rename', displayName };
}

/** @throws Failure if a display name is too long. */
function checkDisplayName(name: string): void {
  if ([...name].length > displayNameMax) {
    throw brokenRule(
      'display_name is too long',
      `The display name is too long: ${[...name].length} characters. Max length is ${displayNameMax}`,
    );
  }
}

const opNameMax = 128;
const displayNameMax = 1024;

function startFields(start: NewStart, { userId, redacts }: CallAuthor): StartFields {
  checkCallId(start.id);
  if (start.parentId) checkCallId(start.parentId);
  if (!isTraceId(start.traceId)) {
    throw brokenRule(
      'trace_id is not a UUID',
      `Invalid UUID: trace_id ${show(start.traceId)} is neither a lower-case UUID nor 32 characters.`,
    );
  }
  checkOpName(start.opName);
  checkDisplayName(start.displayName ?? '');
  checkRunId(start.runId ?? null);
  checkCount('wb_run_step', start.runStep ?? null);
  checkTime('started_at', start.startedAt);
  const clean = (text: string) => (redacts ? redactCredentials(text) : text);
  return {
    traceId: start.traceId,
    parentId: start.parentId ?? '',
    threadId: start.threadId ?? '',
    turnId: start.turnId ?? '',
    opName: start.opName,
    displayName: start.displayName ?? '',
    startedAt: start.startedAt,
    attributes: clean(start.attributes),
    inputs: clean(start.inputs),
    otelDump: start.otelDump ? clean(start.otelDump) : '',
    mapperVersion: 0,
    inputRefs: refsIn(start.inputs),
    wbUserId: userId,
    wbRunId: start.runId ?? '',
    wbRunStep: start.runStep ?? null,
  };
}

function endFields(end: NewEnd): EndFields {
  checkCount('wb_run_step_end', end.runStepEnd ?? null);
  checkTime('ended_at', end.endedAt);
  checkUsageCounts(end.summary);
  const output = end.output ?? 'null';
  return {
    endedAt: end.endedAt,
    exception: end.exception ?? '',
    output,
    summary: end.summary,
    outputRefs: refsIn(output),
    wbRunStepEnd: end.runStepEnd ?? null,
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

/** @throws Failure for an invalid id. */
function checkCallId(id: string): void {
  if (!isCallId(id)) {
    throw brokenRule(
      'id is not a UUID',
      `Invalid UUID: ${show(id)} is neither a lower-case UUID nor the 16 characters of a span id.`,
    );
  }
}

function checkOpName(name: string): void {
  if (name.startsWith('weave:///')) {
    if (parseRef(name)?.kind !== 'op') {
      throw brokenRule(
        'op_name is a ref that is not of an op',
        `Invalid op_name ${show(name)}: a ref must be one of an op, weave:///entity/project/op/name:digest`,
      );
    }
  } else if ([...name].length > opNameMax) {
    throw brokenRule(
      'op_name is too long',
      `The op_name is too long: ${[...name].length} characters. Max length is ${opNameMax}`,
    );
  }
}

function checkRunId(runId: string | null): void {
  if (runId && !/^[^/:]+\/[^/:]+\/[^/:]+$/.test(runId)) {
    throw brokenRule(
      'wb_run_id is not entity/project/run',
      `Invalid wb_run_id ${show(runId)}: expected entity/project/run`,
    );
  }
}

function show(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
