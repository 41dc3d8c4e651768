import type { CallRow } from '../../../domain/calls/call-row.ts';
import { requestErrors } from '../../../util/request-errors.ts';
import { sharedWorker } from '../../../util/workers/restarting-worker.ts';
import { thread } from '../../../util/workers/start-worker.ts';
import { insertLine } from './insert-line.ts';
import type { LineWriting } from './line-thread.ts';
import type { RowOf, TableName } from './tables.ts';

/** Rows from this size on are written and parsed by another thread: they would hold up every other request. */
const largeCharactersMin = 256 * 1024;

const worker = sharedWorker<LineWriting>(thread(new URL('./line-thread.ts', import.meta.url)), {
  errors: requestErrors,
  endsWhenIdle: true,
});

/** The line of `insertLine` in UTF-8. @throws Failure for a value that its column cannot store */
export async function insertBytes<Table extends TableName>(table: Table, row: RowOf<Table>): Promise<Buffer> {
  if (!isLarge(Object.values(row))) return Buffer.from(insertLine(table, row));
  return asBuffer(await worker.request('line', { table, row }));
}

export function isLargeCall({ attributes, inputs, output, summary, otelDump }: CallRow): boolean {
  return isLarge([attributes, inputs, output, summary, otelDump]);
}

/** The lines of `toInsertLine` in UTF-8, written by the thread. @throws Failure for a value that its column cannot store */
export async function linesOfCalls(rows: CallRow[]): Promise<Buffer> {
  return asBuffer(await worker.request('linesOfCalls', { rows }));
}

/** `JSON.parse` of a line that the store returned, by the thread. */
export async function parseLine<Row>(line: string): Promise<Row> {
  return (await worker.request('parse', { line })) as Row;
}

export function isLarge(values: unknown[]): boolean {
  let characters = 0;
  for (const value of values) if (typeof value === 'string') characters += value.length;
  return characters >= largeCharactersMin;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
