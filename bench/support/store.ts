import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallRow, EndFields, StartFields } from '../../src/domain/calls/call-row.ts';
import { toInsertLine } from '../../src/store/clickhouse/calls/call-line.ts';
import { openCallWriter } from '../../src/store/clickhouse/calls/write/call-writer.ts';
import type { ClickHouse } from '../../src/store/clickhouse/clickhouse.ts';
import { openEmbeddedClickHouse } from '../../src/store/clickhouse/embedded/embedded-clickhouse.ts';
import { migrateClickHouse } from '../../src/store/clickhouse/migrate.ts';
import { openAlone } from '../../src/store/peers/alone.ts';
import { callSpacing, realisticCall } from './realistic-calls.ts';

/** `dirty`: as after minutes of heavy writing by clients that send start and end apart, with no merge done since. */
export type StoreState = 'clean' | 'dirty';

export const projectId = 'project-1';
export const projectName = 'ent/proj';

/** The time of the newest call. */
export const newest = Date.UTC(2026, 0, 1) * 1000;

/** Where the store of this many calls lies. It is kept between runs: remove it after a change to the schema. */
export function storeDirectory(calls: number, state: StoreState): string {
  return join(process.env.HEDDLE_BENCH_DIR ?? join(tmpdir(), 'heddle-bench'), `${calls}-${state}`);
}

/** Makes the store where it is not there yet. To be called in a process of its own: chDB opens one directory only. */
export async function makeStore(calls: number, state: StoreState): Promise<void> {
  const directory = storeDirectory(calls, state);
  if (existsSync(directory)) return;
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  if (state === 'dirty') cpSync(storeDirectory(calls, 'clean'), unfinished, { recursive: true });
  const clickhouse = openEmbeddedClickHouse(unfinished);
  await migrateClickHouse(clickhouse);
  if (state === 'clean') await fill(clickhouse, calls);
  else await writeAnew(clickhouse, calls);
  await clickhouse.close();
  renameSync(unfinished, directory);
}

export function nthCall(n: number, calls: number): CallRow {
  return realisticCall(projectId, n, newest - (calls - 1 - n) * callSpacing);
}

async function fill(clickhouse: ClickHouse, calls: number): Promise<void> {
  let inserting = Promise.resolve();
  for (let from = 0; from < calls; from += insertRows) {
    const count = Math.min(insertRows, calls - from);
    const lines = Array.from({ length: count }, (_, i) => toInsertLine(nthCall(from + i, calls)));
    await inserting;
    inserting = clickhouse.insert('calls', Buffer.from(lines.join('')));
  }
  await inserting;
  await mergesToEnd(clickhouse);
}

/** One call in a thousand gets a new name, and the newest 2 % come once more as start and end, in as many small inserts as a
 * busy server leaves unmerged (10 to 25). */
async function writeAnew(clickhouse: ClickHouse, calls: number): Promise<void> {
  await clickhouse.command('SYSTEM STOP MERGES calls');
  const writer = openCallWriter(clickhouse, openAlone());
  const renamed = Array.from({ length: calls / 1000 }, (_, i) => nthCall(i * 1000 + 500, calls));
  await writer.write(
    renamed.map(({ id }) => ({ projectId, id, part: { kind: 'rename', displayName: 'renamed' } as const })),
  );
  for (let from = calls * 0.98; from < calls; from += smallInsertRows) {
    const rows = Array.from({ length: Math.min(smallInsertRows, calls - from) }, (_, i) => nthCall(from + i, calls));
    await writer.write(rows.map((row) => ({ projectId, id: row.id, part: { kind: 'start', start: startOf(row) } })));
    await writer.write(rows.map((row) => ({ projectId, id: row.id, part: { kind: 'end', end: endOf(row) } })));
  }
}

function startOf(row: CallRow): StartFields {
  const { traceId, parentId, threadId, turnId, opName, displayName, startedAt } = row;
  const { attributes, inputs, otelDump, mapperVersion, inputRefs, wbUserId, wbRunId, wbRunStep } = row;
  return {
    traceId,
    parentId,
    threadId,
    turnId,
    opName,
    displayName,
    startedAt,
    attributes,
    inputs,
    otelDump,
    mapperVersion,
    inputRefs,
    wbUserId,
    wbRunId,
    wbRunStep,
  };
}

function endOf({ endedAt, exception, output, summary, outputRefs, wbRunStepEnd }: CallRow): EndFields {
  return { endedAt: endedAt!, exception, output, summary, outputRefs, wbRunStepEnd };
}

async function mergesToEnd(clickhouse: ClickHouse): Promise<void> {
  const running = async () =>
    (await clickhouse.query<{ count: number }>('SELECT count() AS count FROM system.merges'))[0]!.count;
  for (let idle = 0; idle < 3; idle = (await running()) === 0 ? idle + 1 : 0) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const insertRows = 10_000;
const smallInsertRows = 2_000;
