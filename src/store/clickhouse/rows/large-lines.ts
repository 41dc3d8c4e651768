import type { CallRow } from '../../../domain/calls/call-row.ts';
import { buffersOf } from '../../../domain/digest/digest-list.ts';
import { requestErrors } from '../../../util/request-errors.ts';
import { sharedWorker } from '../../../util/workers/restarting-worker.ts';
import { thread } from '../../../util/workers/start-worker.ts';
import type { PartToWrite } from '../calls/write/shared/to-part-line.ts';
import type { Table } from '../tables/table-line.ts';
import type { LineWriting } from './line-thread.ts';
import type { RowOf, TableName } from './tables.ts';

/**
 * The lines of large rows, which a thread writes and parses: on the main thread they would hold up every other request for
 * up to a second.
 */
const worker = sharedWorker<LineWriting>(thread(new URL('./line-thread.ts', import.meta.url)), {
  errors: requestErrors,
  endsWhenIdle: true,
});

/** The lines of `insertLine` in UTF-8. @throws Failure for a value that its column cannot store */
export async function writeLargeLines<Name extends TableName>(table: Name, rows: RowOf<Name>[]): Promise<Buffer> {
  return asBuffer(await worker.request('lines', { table, rows }));
}

/** The line of `tableLine`. The table's list is transferred, so it cannot be used afterwards. */
export async function writeLongTable(table: Table): Promise<Buffer> {
  return asBuffer(await worker.request('tableLine', { table }, { transfer: buffersOf(table.rowDigests) }));
}

/** The lines of `toInsertLine` in UTF-8. @throws Failure for a value that its column cannot store */
export async function writeLargeCalls(rows: CallRow[]): Promise<Buffer> {
  return asBuffer(await worker.request('linesOfCalls', { rows }));
}

/** The lines of `toPartLine` in UTF-8. @throws Failure for a value that its column cannot store */
export async function writeLargeParts(parts: PartToWrite[]): Promise<Buffer> {
  return asBuffer(await worker.request('linesOfParts', { parts }));
}

/** A line that the store returned. */
export async function parseLargeLine<Row>(line: Buffer): Promise<Row> {
  const own = new Uint8Array(line);
  return (await worker.request('parse', { line: own }, { transfer: [own.buffer] })) as Row;
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
