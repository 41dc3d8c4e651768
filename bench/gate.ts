import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type Answered, allTasks, printTables } from './gate/tables.ts';
import type { Found } from './gate/tasks.ts';

/**
 * Simulates gates with known truth: how often one promotes a candidate that is not better, and how many threads it needs for one that
 * is. Compares it with tests of a fixed size, a t-test with looks, a threshold, and bets on rows. Exits with 1 if the 99 % bound
 * of a figure excludes what is wanted.
 *
 *     npm run bench -- gate [--runs 10000] [--seed 1] [--threads 2] [--only equal]
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    threads: { type: 'string', default: '2' },
    only: { type: 'string' },
  },
});
const started = performance.now();
const tasks = allTasks(Number(values.runs), Number(values.seed)).filter(
  ({ kind }) => values.only === undefined || kind === values.only,
);
const answers = new Array<Answered>(tasks.length);
let next = 0;
let done = 0;
await Promise.all(Array.from({ length: Number(values.threads) }, work));
const missed = printTables(answers);
process.stdout.write(
  `${values.runs} runs a setting, seed ${values.seed}, ${((performance.now() - started) / 60_000).toFixed(1)} minutes.\n`,
);
process.exitCode = missed === 0 ? 0 : 1;

async function work(): Promise<void> {
  const worker = new Worker(new URL('./gate/worker.ts', import.meta.url));
  while (next < tasks.length) {
    const place = next++;
    const task = tasks[place]!;
    const answered = once(worker, 'message'); // fails if the worker does
    worker.postMessage(task);
    answers[place] = { task, found: (await answered)[0] as Found };
    if (++done % 10 === 0) process.stderr.write(`${done} of ${tasks.length} settings\n`);
  }
  await worker.terminate();
}
