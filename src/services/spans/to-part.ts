import type { EndFields, StartFields } from '../../domain/calls/call-row.ts';
import { refsIn } from '../../domain/calls/new-call.ts';
import type { CallPart } from '../../domain/calls/part.ts';
import { mapperVersion } from '../../otel/mapper/mapper.ts';
import type { ReadSpan } from '../../otel/read-export.ts';

/** What a span alone does not tell of its call. */
export type CallOwner = { project: string; userId: string; opName: string; resourceRun: string };

/** A finished span is a whole call, one that still runs a call that has started. */
export function spanToPart({ call, raw }: Pick<ReadSpan, 'call' | 'raw'>, owner: CallOwner): CallPart {
  const start: StartFields = {
    traceId: call.traceId,
    parentId: call.parentId,
    threadId: call.threadId,
    turnId: call.turnId,
    opName: owner.opName,
    displayName: call.displayName,
    startedAt: call.startedAt,
    attributes: call.attributes,
    inputs: call.inputs,
    otelDump: raw,
    mapperVersion,
    inputRefs: refsIn(call.inputs),
    wbUserId: owner.userId,
    wbRunId: runId(owner.resourceRun || call.run, owner.project),
    wbRunStep: call.runStep,
  };
  if (call.endedAt === null) return { kind: 'start', start };
  const end: EndFields = {
    endedAt: call.endedAt,
    exception: call.exception,
    output: call.output,
    summary: call.summary,
    outputRefs: refsIn(call.output),
    wbRunStepEnd: call.runStepEnd,
  };
  return { kind: 'complete', start, end };
}

/** `entity/project/run`; a run alone is one of the project. What is neither is left out. */
function runId(run: string, project: string): string {
  const whole = run === '' || run.includes('/') ? run : `${project}/${run}`;
  return /^[^/:]+\/[^/:]+\/[^/:]+$/.test(whole) ? whole : '';
}
