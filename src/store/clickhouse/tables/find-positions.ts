import type { RowOrder } from '../../../domain/tables/row-order.ts';
import type { ClickHouse, QueryParams } from '../clickhouse.ts';
import { findTable, type TableKey, tableParams, tableSource } from './find-table.ts';

/** The position of a row in its table. */
export type RowPosition = { digest: string; position: number };

export type PositionQuery = TableKey & {
  /** Only these rows; null for all. */
  rowDigests: string[] | null;
  order: RowOrder[];
  offset: number;
  limit: number;
};

/** The positions of the rows that are stored and requested, in order, without their values. */
export async function findPositions(clickhouse: ClickHouse, query: PositionQuery): Promise<RowPosition[]> {
  const table = await findTable(clickhouse, query);
  if (table === null) return [];
  const isPlain = query.rowDigests === null && query.order.length === 0;
  if (isPlain && table.isComplete) return slice(clickhouse, query);
  const page = { offset: query.offset, limit: query.limit };
  const params = { ...tableParams(query), ...page, ...(query.rowDigests && { rows: query.rowDigests }) };
  if (query.order.length > 0) return sorted(clickhouse, query, params);
  return clickhouse.query<RowPosition>(
    `WITH list AS (${list(query)})
     SELECT digest, toUInt32(position) AS position FROM list
     ${table.isComplete ? '' : `WHERE digest IN (${storedRows('digest')})`}
     ORDER BY position LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
    params,
  );
}

async function slice(clickhouse: ClickHouse, query: PositionQuery): Promise<RowPosition[]> {
  const [found] = await clickhouse.query<{ page: string[] }>(
    tableSource('arraySlice(row_digests, {offset:UInt64} + 1, {limit:UInt64}) AS page'),
    { ...tableParams(query), offset: query.offset, limit: query.limit },
  );
  return (found?.page ?? []).map((digest, i) => ({ digest, position: query.offset + i }));
}

/**
 * By each field in turn: rows that have it, then its value as a number, then as text. Rows with the field come first in
 * both directions, and so do numbers before other values.
 */
function sorted(clickhouse: ClickHouse, query: PositionQuery, params: QueryParams): Promise<RowPosition[]> {
  const fields = query.order.map(({ path }, i) => `${fieldText(path, i)} AS field${i}`);
  const keys = query.order.map(({ direction }, i) => {
    const to = direction === 'asc' ? 'ASC' : 'DESC';
    return `isNull(field${i}) ASC, toFloat64OrNull(field${i}) ${to} NULLS LAST, field${i} ${to}`;
  });
  const steps = query.order.flatMap(({ path }, i) => path.map((step, j) => [`field${i}_${j}`, step]));
  return clickhouse.query<RowPosition>(
    `WITH list AS (${list(query)}),
     rows AS (${storedRows(`digest, ${fields.join(', ')}`)} LIMIT 1 BY digest)
     SELECT list.digest AS digest, toUInt32(list.position) AS position
     FROM list INNER JOIN rows ON rows.digest = list.digest
     ORDER BY ${keys.join(', ')}, position LIMIT {limit:UInt64} OFFSET {offset:UInt64}`,
    { ...params, ...Object.fromEntries(steps) },
  );
}

/** The list of a table as rows of digest and position, limited to the requested digests. */
function list({ rowDigests }: PositionQuery): string {
  return `SELECT row_digest AS digest, place - 1 AS position
    FROM (${tableSource('row_digests')})
    ARRAY JOIN row_digests AS row_digest, arrayEnumerate(row_digests) AS place
    ${rowDigests === null ? '' : 'WHERE row_digest IN (SELECT arrayJoin({rows:Array(String)}))'}`;
}

/** A subquery instead of a list of values: ClickHouse handles a hundred thousand of these easily. */
function storedRows(columns: string): string {
  return `SELECT ${columns} FROM table_rows
    WHERE project_id = {project:String} AND digest IN (SELECT digest FROM list)`;
}

/** The text of a field of a row, strings without quotes; null if it is missing or null. */
function fieldText(path: string[], field: number): string {
  const raw = path.reduce((json, step, i) => {
    const key = `{field${field}_${i}:String}`;
    if (!/^\d{1,9}$/.test(step)) return `JSONExtractRaw(${json}, ${key})`;
    const [element, member] = [`JSONExtractRaw(c, ${Number(step) + 1})`, `JSONExtractRaw(c, ${key})`];
    return nameValue('c', json, `if(JSONType(c) = 'Array', ${element}, ${member})`);
  }, 'value');
  const text = "multiIf(JSONType(r) = 'String', JSONExtractString(r), r IN ('', 'null'), NULL, r)";
  return nameValue('r', raw, text);
}

/**
 * SQL that uses its value more than once: repeating the value would make it grow exponentially with the path's length.
 */
function nameValue(name: string, value: string, sql: string): string {
  return `arrayMap(${name} -> ${sql}, [${value}])[1]`;
}
