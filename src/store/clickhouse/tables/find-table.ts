import type { DigestList } from '../../../domain/digest/digest-list.ts';
import type { ClickHouse } from '../clickhouse.ts';

export type TableKey = { projectId: string; digest: string };

/** One row, the most complete of several equal ones. Its parameters are those of `tableParams`. */
export function tableSource(columns: string): string {
  return `SELECT ${columns} FROM tables
    WHERE project_id = {project:String} AND digest = {table:String} ORDER BY is_complete DESC LIMIT 1`;
}

export function tableParams({ projectId, digest }: TableKey) {
  return { project: projectId, table: digest };
}

/** Whether a table and all of its rows are stored. */
export async function isTableStored(clickhouse: ClickHouse, key: TableKey): Promise<boolean> {
  return (await findTable(clickhouse, key))?.isComplete ?? false;
}

/** The number of rows in a table; null if it is unknown. */
export async function findTable(
  clickhouse: ClickHouse,
  key: TableKey,
): Promise<{ count: number; isComplete: boolean } | null> {
  const [table] = await clickhouse.query<{ count: number; complete: number }>(
    tableSource('length(row_digests) AS count, is_complete AS complete'),
    tableParams(key),
  );
  return table ? { count: Number(table.count), isComplete: table.complete === 1 } : null;
}

/** The whole list of a table; empty if the table is unknown. */
export async function readRowDigests(clickhouse: ClickHouse, key: TableKey): Promise<DigestList> {
  const ends = "CAST(arrayCumSum(arrayMap(digest -> length(digest), row_digests)), 'Array(UInt32)')";
  const answer = await clickhouse.queryBytes(
    tableSource(`arrayStringConcat(row_digests) AS bytes, ${ends} AS ends`),
    'RowBinary',
    tableParams(key),
  );
  if (answer.length === 0) return { bytes: new Uint8Array(), ends: new Uint32Array() };
  const [bytesStart, bytesLength] = readLength(answer, 0);
  const bytesEnd = bytesStart + bytesLength;
  const [endsStart] = readLength(answer, bytesEnd);
  const own = new Uint8Array(answer.buffer as ArrayBuffer, answer.byteOffset, answer.length);
  return { bytes: own.subarray(bytesStart, bytesEnd), ends: new Uint32Array(own.slice(endsStart).buffer) };
}

/** RowBinary writes lengths as unsigned LEB128. @returns the offset of the next byte, and the length */
function readLength(bytes: Buffer, start: number): [next: number, length: number] {
  let length = 0;
  let place = start;
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[place++]!;
    length += (byte % 128) * factor;
    if (byte < 128) return [place, length];
  }
}
