import type { CallKey } from '../../../../../domain/calls/call-row.ts';
import type { CallPart } from '../../../../../domain/calls/part.ts';
import { contentOfPart, type PartContent, type PartLine, partLine } from '../../../../../domain/calls/part-line.ts';
import { parsePlain } from '../../../../../util/json/parse.ts';
import type { ClickHouse } from '../../../clickhouse.ts';
import { insertLine } from '../../../rows/insert-line.ts';
import type { CallWrite } from '../call-write.ts';

/** A part as it is stored, with the fields it brings: those of a complete call are only in `calls`. */
export type StoredPart = { line: PartLine; content: PartContent | null };

type Origin = { number: number; process: string; settledBefore: number };

export function lineOf({ part, spanTraceId = '', yieldsToSdk = false }: CallWrite, origin: Origin): PartLine {
  return partLine(part, { ...origin, spanTraceId, yieldsToSdk });
}

/** A part as one line for an insert into `call_parts`, with a line feed. */
export function toPartLine({ projectId, id }: CallKey, line: PartLine, part: CallPart | null): string {
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

type FoundPart = Omit<PartLine, 'yieldsToSdk'> & { id: string; yieldsToSdk: number; content: string };

/** The visible parts of these calls of a project, by the id of the call. */
export async function findParts(
  clickhouse: ClickHouse,
  projectId: string,
  ids: string[],
): Promise<Map<string, StoredPart[]>> {
  const found = await clickhouse.query<FoundPart>(
    `SELECT call_id AS id, number, process, settled_before AS settledBefore, kind,
            toUnixTimestamp64Micro(started_at) AS startedAt, toUnixTimestamp64Micro(ended_at) AS endedAt,
            trace_id AS traceId, span_trace_id AS spanTraceId, mapper_version AS mapperVersion,
            yields_to_sdk AS yieldsToSdk, value, content
     FROM call_parts
     WHERE project_id = {projectId:String} AND call_id IN {ids:Array(String)}
     ORDER BY call_id, number
     LIMIT 1 BY call_id, number`,
    { projectId, ids },
  );
  const parts = new Map<string, StoredPart[]>();
  for (const { id, yieldsToSdk, content, ...line } of found) {
    const of = parts.get(id) ?? [];
    of.push({
      line: { ...line, yieldsToSdk: yieldsToSdk === 1 },
      content: content === '' ? null : (parsePlain(content) as PartContent),
    });
    parts.set(id, of);
  }
  return parts;
}
