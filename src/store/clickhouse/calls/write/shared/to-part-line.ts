import type { CallKey } from '../../../../../domain/calls/call-row.ts';
import type { CallPart } from '../../../../../domain/calls/part.ts';
import { contentOfPart, type PartLine } from '../../../../../domain/calls/part-line.ts';
import { insertLine } from '../../../rows/insert-line.ts';

/** What the line of a part is made of. A part that is withdrawn has nothing but its line. */
export type PartToWrite = { call: CallKey; line: PartLine; part: CallPart | null };

/** A part as one line for an insert into `call_parts`, with a line feed. */
export function toPartLine({ call: { projectId, id }, line, part }: PartToWrite): string {
  const isStored = part?.kind === 'start' || part?.kind === 'end';
  return insertLine('call_parts', {
    project_id: projectId,
    call_id: id,
    number: line.number,
    process: line.process,
    settled_before: line.settledBefore,
    kind: line.kind,
    started_at: line.startedAt,
    ended_at: line.endedAt,
    trace_id: line.traceId,
    span_trace_id: line.spanTraceId,
    mapper_version: line.mapperVersion,
    yields_to_sdk: Number(line.yieldsToSdk),
    value: line.value,
    ...(isStored ? { content: JSON.stringify(contentOfPart(part)) } : {}),
  });
}
