import { type PartContent, type PartLine, partLine } from '../../../../../domain/calls/part-line.ts';
import { parsePlain } from '../../../../../util/json/parse.ts';
import { isLarge } from '../../../../../util/large-text.ts';
import type { ClickHouse } from '../../../clickhouse.ts';
import { parseLargeLine } from '../../../rows/large-lines.ts';
import type { CallWrite } from '../call-write.ts';

/** A part as it is stored, with the fields it brings: those of a complete call are only in `calls`. */
export type StoredPart = { line: PartLine; content: PartContent | null };

type Origin = { number: number; process: string; settledBefore: number };

export function lineOf({ part, spanTraceId = '', yieldsToSdk = false }: CallWrite, origin: Origin): PartLine {
  return partLine(part, { ...origin, spanTraceId, yieldsToSdk });
}

type FoundPart = Omit<PartLine, 'yieldsToSdk'> & { id: string; yieldsToSdk: number; fields: string };

/** Numbers from `first` up to, but not including, `end`. */
export type Numbers = { first: number; end: number };

/**
 * The visible parts of these calls of a project, by the id of the call.
 * @param known the numbers of parts whose fields the caller has: they are not read
 */
export async function findParts(
  clickhouse: ClickHouse,
  projectId: string,
  ids: string[],
  known: Numbers = { first: 0, end: 0 },
): Promise<Map<string, StoredPart[]>> {
  const found = await clickhouse.query<FoundPart>(
    `SELECT call_id AS id, number, process, settled_before AS settledBefore, kind,
            toUnixTimestamp64Micro(started_at) AS startedAt, toUnixTimestamp64Micro(ended_at) AS endedAt,
            trace_id AS traceId, span_trace_id AS spanTraceId, mapper_version AS mapperVersion,
            yields_to_sdk AS yieldsToSdk, value,
            if(number >= {first:UInt64} AND number < {end:UInt64}, '', content) AS fields
     FROM call_parts
     WHERE project_id = {projectId:String} AND call_id IN {ids:Array(String)}
     ORDER BY call_id, number
     LIMIT 1 BY call_id, number`,
    { projectId, ids, ...known },
  );
  const parts = new Map<string, StoredPart[]>();
  for (const { id, yieldsToSdk, fields, ...line } of found) {
    const of = parts.get(id) ?? [];
    of.push({
      line: { ...line, yieldsToSdk: yieldsToSdk === 1 },
      content: await parseFields(fields),
    });
    parts.set(id, of);
  }
  return parts;
}

/** A thread parses large ones. */
async function parseFields(fields: string): Promise<PartContent | null> {
  if (fields === '') return null;
  return isLarge(fields) ? parseLargeLine<PartContent>(Buffer.from(fields)) : (parsePlain(fields) as PartContent);
}
