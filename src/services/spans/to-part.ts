import type { EndFields, StartFields } from '../../domain/calls/call-row.ts';
import { refsIn } from '../../domain/calls/new-call.ts';
import type { CallPart } from '../../domain/calls/part.ts';
import { mapperVersion } from '../../otel/mapper/mapper.ts';
import type { ReadSpan } from '../../otel/read-export.ts';

/** What the call needs besides its span. */
export type CallOwner = { project: string; userId: string; opName: string; resourceRun: string };

/** A finished span becomes a complete call, a running one a started call. */
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

/** `entity/project/run`, or only the run, which is then one of the project. Other values are ignored. */
function runId(run: string, project: string): string {
  const whole = run === '' || run.includes('/') ? run : `${project}/${run}`;
  return /^[^/:]+\/[^/:]+\/[^/:]+$/.test(whole) ? whole : '';
}
