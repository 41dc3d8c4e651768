import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ClickHouse } from '../../src/store/clickhouse/clickhouse.ts';
import { openEmbeddedClickHouse } from '../../src/store/clickhouse/embedded/embedded-clickhouse.ts';
import { quantile } from './load.ts';
import { report } from './report.ts';
import { makeStore, type StoreState, storeDirectory } from './store.ts';

export type Question = {
  name: string;
  /** Milliseconds the 95th of a hundred answers should stay under, with a million calls. */
  aimMs: number;
  times?: number;
  /** Asks once, differently for each `i`, and answers how many calls were found. */
  ask(store: BenchStore, i: number): Promise<number>;
};

export type BenchStore = { clickhouse: ClickHouse; calls: number };

/**
 * Puts questions to stores of several sizes, each clean and dirty, and prints how the answers' times grow:
 * `node bench/newest-roots.ts [--calls 10000,100000,1000000] [--state clean,dirty]`. Stores are made where they are
 * missing: a million calls take some minutes and 4 GB below `HEDDLE_BENCH_DIR` or the system's temporary directory.
 */
export async function askOfStores(meta: ImportMeta, questions: Question[]): Promise<void> {
  const [task, size, state] = (process.env.HEDDLE_BENCH_TASK?.split(' ') ?? []) as [string?, string?, StoreState?];
  if (task === 'make') return makeStore(Number(size), state!);
  if (task === 'answer') return answer(Number(size), state!, questions);
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '10000,100000,1000000' },
      state: { type: 'string', default: 'clean,dirty' },
    },
  });
  for (const calls of values.calls.split(',')) {
    for (const state of values.state.split(',')) {
      if (state === 'dirty') inChild(meta, `make ${calls} clean`);
      inChild(meta, `make ${calls} ${state}`);
      inChild(meta, `answer ${calls} ${state}`);
    }
  }
}

/** chDB opens one directory in a process. */
function inChild({ url }: ImportMeta, task: string): void {
  const env = { ...process.env, HEDDLE_BENCH_TASK: task };
  const { status } = spawnSync(process.execPath, [fileURLToPath(url)], { env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`This could not be done: ${task}`);
}

async function answer(calls: number, state: StoreState, questions: Question[]): Promise<void> {
  const clickhouse = openEmbeddedClickHouse(storeDirectory(calls, state));
  await clickhouse.command('SYSTEM STOP MERGES calls');
  const store = { clickhouse, calls };
  for (const { name, aimMs, times = 40, ask } of questions) {
    const found: number[] = [];
    const ms: number[] = [];
    for (let i = -3; i < times; i++) {
      const startedAt = performance.now();
      const count = await ask(store, i + 3);
      if (i >= 0) {
        ms.push(performance.now() - startedAt);
        found.push(count);
      }
    }
    report(`${name}, ${calls.toLocaleString('en')} calls, ${state}`, {
      'ms p50': quantile(ms, 0.5),
      p95: quantile(ms, 0.95),
      ...(calls === 1_000_000 ? { 'aimed at': aimMs } : {}),
      found: quantile(found, 0.5),
    });
  }
  await clickhouse.close();
}
