import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openEmbeddedClickHouse } from '../src/store/clickhouse/embedded/embedded-clickhouse.ts';
import { startHeddle } from './support/heddle.ts';
import { sendAll } from './support/load.ts';
import { otlpShots } from './support/otlp-shots.ts';
import { report } from './support/report.ts';

/**
 * What a span of 5.4 kB takes on disk, three minutes after 48,000 of them came: all files, and the parts of tables
 * that are in use: what merges have replaced, ClickHouse removes some minutes later.
 */
const traces = 4_000;
const spansPerTrace = 12;

const heddle = await startHeddle();
const empty = diskBytes();
await sendAll(heddle.address, otlpShots(heddle.key, traces, spansPerTrace), 48);
await setTimeout(180_000);
await heddle.stop();
const bytes = diskBytes() - empty;
const bytesInUse = await partBytes();
heddle.remove();
const spans = traces * spansPerTrace;
report(`${spans.toLocaleString('en')} spans`, {
  'kB of disk a span': bytes / spans / 1e3,
  'kB in use': bytesInUse / spans / 1e3,
});

async function partBytes(): Promise<number> {
  const store = openEmbeddedClickHouse(join(heddle.data, 'clickhouse'));
  const sql = 'SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = currentDatabase()';
  const [row] = await store.query<{ bytes: number }>(sql);
  await store.close();
  return Number(row!.bytes);
}

function diskBytes(): number {
  const files = readdirSync(heddle.data, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.reduce(
    (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
