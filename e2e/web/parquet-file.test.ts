import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSession } from '../../src/store/clickhouse/embedded/session.ts';
import { ParquetFile } from '../../web/src/pages/traces/export/parquet-file.ts';

type Row = { word: string | null; size: number | null; isOdd: boolean | null; time: bigint | null };

test('ClickHouse reads what a Parquet file was written from', async () => {
  const rows = Array.from({ length: 4300 }, (_, index): Row => {
    const isNull = index % 700 < 150;
    return {
      word: index % 3 === 0 ? null : 'ü"\n'.repeat(index % 50),
      size: isNull ? null : index / 8,
      isOdd: isNull ? null : index % 2 === 1,
      time: isNull ? null : 1_767_225_600_123_456n + BigInt(index),
    };
  });
  const file = new ParquetFile<Row>([
    { name: 'word', kind: 'text', read: ({ word }) => word },
    { name: 'size', kind: 'number', read: ({ size }) => size },
    { name: 'isOdd', kind: 'truth', read: ({ isOdd }) => isOdd },
    { name: 'time', kind: 'time', read: ({ time }) => time },
  ]);
  for (const row of rows) await file.add(row);
  const folder = mkdtempSync(join(tmpdir(), 'heddle-parquet-'));
  const path = join(folder, 'calls.parquet');
  writeFileSync(path, Buffer.from(await new Blob(await file.end()).arrayBuffer()));
  const session = openSession(join(folder, 'store'), null);
  try {
    const read = await session.query<Omit<Row, 'time'> & { time: string | null }>(
      `SELECT word, size, isOdd, toString(toUnixTimestamp64Micro(time)) AS time FROM file('${path}', Parquet)`,
    );
    expect(read).toEqual(rows.map((row) => ({ ...row, time: row.time === null ? null : String(row.time) })));
  } finally {
    await session.close();
    rmSync(folder, { recursive: true });
  }
});
