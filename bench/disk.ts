import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startHeddle } from './support/heddle.ts';
import { sendAll } from './support/load.ts';
import { otlpShots } from './support/otlp-shots.ts';
import { report } from './support/report.ts';

/** What a span of 5.4 kB takes on disk, once merges have come to rest and what they replaced is removed (six minutes). */
const traces = 4_000;
const spansPerTrace = 12;
const settledAfterMs = 360_000;

const heddle = await startHeddle();
const empty = diskBytes();
await sendAll(heddle.address, otlpShots(heddle.key, traces, spansPerTrace), 48);
await new Promise((resolve) => setTimeout(resolve, settledAfterMs));
const spans = traces * spansPerTrace;
report(`${spans.toLocaleString('en')} spans`, { 'kB of disk a span': (diskBytes() - empty) / spans / 1e3 });
await heddle.stop();
heddle.remove();

function diskBytes(): number {
  const files = readdirSync(heddle.data, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.reduce(
    (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
