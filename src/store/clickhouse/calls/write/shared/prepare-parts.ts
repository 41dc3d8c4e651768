import { randomUUID } from 'node:crypto';
import type { ClickHouse } from '../../../clickhouse.ts';

/**
 * Lets several processes write, after one that was alone: describes each stored call in `call_parts`, as if its row had come in
 * parts. Only while no other process writes. It begins again if it was interrupted.
 */
export async function preparePartsOfCalls(clickhouse: ClickHouse): Promise<void> {
  await removeParts(clickhouse);
  for (const source of [liveCalls, deletedCalls]) {
    await clickhouse.command(`${insertInto} ${source} SETTINGS insert_deduplicate = 0`);
  }
  // Rows that are equal to earlier ones would be taken for repeated ones.
  const row = { kind: prepared, value: randomUUID() };
  await clickhouse.insert('call_parts', Buffer.from(`${JSON.stringify(row)}\n`));
}

async function removeParts(clickhouse: ClickHouse): Promise<void> {
  const rows = await clickhouse.query('SELECT 1 FROM call_parts LIMIT 1');
  if (rows.length > 0) await clickhouse.command('ALTER TABLE call_parts DELETE WHERE 1 SETTINGS mutations_sync = 2');
}

/** Whether each stored call is described. */
export async function havePartsOfCalls(clickhouse: ClickHouse): Promise<boolean> {
  const rows = await clickhouse.query(
    "SELECT 1 FROM call_parts WHERE project_id = '' AND call_id = '' AND kind = {prepared:String} LIMIT 1",
    { prepared },
  );
  return rows.length > 0;
}

/** What the numbers of further parts must exceed. */
export async function highestNumber(clickhouse: ClickHouse): Promise<number> {
  const [row] = await clickhouse.query<{ number: number }>(
    `SELECT greatest((SELECT max(version) FROM calls) + ${extraParts}, (SELECT max(number) FROM call_parts)) AS number`,
  );
  return Number(row!.number);
}

/** Lets one process write alone after several: what it writes has no parts. */
export async function forgetPartsOfCalls(clickhouse: ClickHouse): Promise<void> {
  if (await havePartsOfCalls(clickhouse)) await removeParts(clickhouse);
}

/** The kind of the row that says that all calls are described. */
const prepared = 'prepared';

/** At most so many numbers follow that of the row. */
const extraParts = 4;

const insertInto = `INSERT INTO call_parts
  (project_id, call_id, kind, number, value, started_at, ended_at, trace_id, span_trace_id, mapper_version)`;

const ofStart = "part.1 IN ('start', 'complete')";
const fields = `if(${ofStart}, started_at, NULL), if(part.1 IN ('end', 'complete'), ended_at, NULL), if(${ofStart}, trace_id, ''),
  if(${ofStart} AND mapper_version > 0, extract(otel_dump, '"context":\\\\{"trace_id":"([^"]*)"'), ''),
  if(${ofStart}, mapper_version, 0)`;

/** The number of the part that a field comes from is the version of the row, unless several processes wrote it. */
const numberOf = (column: string) => `if(${column} = 0, calls.version, ${column})`;

const liveCalls = `SELECT project_id, id, part.1, part.2, part.3, ${fields}
  FROM calls FINAL
  ARRAY JOIN arrayFilter(p -> p.2 > 0, [
    ('complete', if(is_started = 1 AND isNotNull(ended_at) AND start_number = end_number, ${numberOf('start_number')}, 0), ''),
    ('start', if(is_started = 1 AND (isNull(ended_at) OR start_number != end_number), ${numberOf('start_number')}, 0), ''),
    ('end', if(isNotNull(ended_at) AND (is_started = 0 OR start_number != end_number), ${numberOf('end_number')}, 0), ''),
    ('rename', if(is_renamed = 1, calls.version + 1, 0), display_name),
    ('topmost', if(is_topmost = 1, calls.version + 2, 0), '1'),
    ('repeated', if(is_repeated = 1, calls.version + 3, 0), '1')
  ]) AS part`;

/** A call that has moved in time has deleted rows as well as a live one. */
const deletedCalls = `SELECT project_id, id, part.1, part.2, '', ${fields}
  FROM (
    SELECT project_id, id, max(calls.version) AS version, max(is_started) AS is_started, argMax(calls.started_at, calls.version) AS started_at,
           NULL AS ended_at, '' AS trace_id, '' AS otel_dump, 0 AS mapper_version
    FROM calls
    WHERE is_deleted = 1
    GROUP BY project_id, id
  ) AS deleted
  ARRAY JOIN arrayFilter(p -> p.2 > 0, [('start', if(is_started = 1, version, 0)), ('delete', version + 1)]) AS part
  WHERE (project_id, id) NOT IN (
    SELECT project_id, id FROM calls FINAL WHERE (project_id, id) IN (SELECT project_id, id FROM calls WHERE is_deleted = 1)
  )`;
