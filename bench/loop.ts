import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { picture } from './loop/picture.ts';
import type { LoopResult } from './loop/run-loop.ts';
import { type Part, parts, settings } from './loop/settings.ts';
import { runOnTiny } from './loop/tiny.ts';
import type { LoopTask } from './loop/worker.ts';
import { isAbove, isBelow } from './support/binomial-bound.ts';

/**
 * Whether loops make models truly better. Simulates loops of which the truth is known, through the gate, the wall, the windows and the
 * rollout of the server, and with each of these and the held-out scorer switched off (`loop/settings.ts`); then runs loops on the built-in
 * model at a real server. Ends with 1 if true quality does not rise in 93 % of loops, if more than one promotion in 20 is truly worse
 * (by 99 % bounds), or if a part that is switched off does not make loops worse (by a 95 % interval).
 *
 *     npm run bench -- loop [--loops 200] [--seed 1] [--threads 2] [--tiny 5] [--picture FILE.svg]
 */
const { values } = parseArgs({
  options: {
    loops: { type: 'string', default: String(settings.loops) },
    seed: { type: 'string', default: '1' },
    threads: { type: 'string', default: '2' },
    tiny: { type: 'string', default: '5' },
    picture: { type: 'string' },
  },
});
const started = performance.now();
const [loops, seed] = [Number(values.loops), Number(values.seed)];
const variants: (Part | null)[] = [null, ...parts];
let missed = 0;

if (loops > 0) await simulate();
const tiny = Number(values.tiny);
if (tiny > 0) {
  const { rose, promotions, worse } = await runOnTiny(tiny, seed);
  line(
    `The built-in model: quality rose in ${rose} of ${tiny} loops; ${worse} of ${promotions} promotions are truly worse.`,
    rose === tiny && worse === 0,
  );
}
process.stdout.write(`${((performance.now() - started) / 60_000).toFixed(1)} minutes.\n`);
process.exit(missed === 0 ? 0 : 1);

async function simulate(): Promise<void> {
  const found = await runAll(
    variants.flatMap((off) => Array.from({ length: loops }, (_, loop) => ({ seed, loop, off }))),
  );
  const resultsOf = (off: Part | null) => found.filter(({ task }) => task.off === off).map(({ result }) => result);
  const all = resultsOf(null);
  process.stdout.write(
    `${loops} loops of ${settings.turns} turns, seed ${seed}. Quality is the chance of a good answer to what users ask after the last turn.\n\n` +
      '| Switched off | quality at the start | at the end | less than with all parts (95 %) | rises | promotions | truly worse | returned |\n' +
      '| --- | --- | --- | --- | --- | --- | --- | --- |\n',
  );
  for (const off of variants) {
    const results = resultsOf(off);
    const loss = results.map(({ last }, i) => all[i]!.last - last);
    const [promoted, worse, returned] = [sum(results, 'promoted'), sum(results, 'worse'), sum(results, 'returned')];
    const rises = results.filter(({ first, last }) => last > first).length;
    const { mean, low, high } = interval(loss);
    const less = off === null ? '–' : `${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
    const start = (sum(results, 'first') / loops).toFixed(3);
    const end = (sum(results, 'last') / loops).toFixed(3);
    const isFine = off === null ? !isBelow(rises, loops, 0.93) && !isAbove(worse, promoted, 0.05) : low > 0;
    const worseShare = `${worse} (${((100 * worse) / Math.max(promoted, 1)).toFixed(1)} %)`;
    line(
      `| ${off ?? 'nothing'} | ${start} | ${end} | ${less} | ${((100 * rises) / loops).toFixed(1)} % | ${promoted} | ${worseShare} | ${returned} |`,
      isFine,
    );
  }
  process.stdout.write('\n');
  if (values.picture === undefined) return;
  const curves = variants.map((off) => {
    const results = resultsOf(off);
    const first = sum(results, 'start') / loops;
    const turns = results[0]!.quality.map(
      (_, turn) => results.reduce((total, { quality }) => total + quality[turn]!, 0) / loops,
    );
    return { name: off === null ? 'all parts' : `without the ${off}`, points: [first, ...turns] };
  });
  writeFileSync(values.picture, picture(curves));
}

async function runAll(tasks: LoopTask[]): Promise<{ task: LoopTask; result: LoopResult }[]> {
  const results: { task: LoopTask; result: LoopResult }[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: Number(values.threads) }, async () => {
      const worker = new Worker(new URL('./loop/worker.ts', import.meta.url));
      while (next < tasks.length) {
        const task = tasks[next++]!;
        const answered = once(worker, 'message'); // fails if the worker does
        worker.postMessage(task);
        results.push({ task, result: (await answered)[0] as LoopResult });
        if (results.length % 100 === 0) process.stderr.write(`${results.length} of ${tasks.length} loops\n`);
      }
      await worker.terminate();
    }),
  );
  return results.sort((a, b) => a.task.loop - b.task.loop);
}

function sum(
  results: LoopResult[],
  field: { [Key in keyof LoopResult]: LoopResult[Key] extends number ? Key : never }[keyof LoopResult],
): number {
  return results.reduce((total, each) => total + each[field], 0);
}

/** A mean with its 95 % interval, by the normal distribution. */
function interval(numbers: number[]): { mean: number; low: number; high: number } {
  const mean = numbers.reduce((total, each) => total + each, 0) / numbers.length;
  const variance = numbers.reduce((total, each) => total + (each - mean) ** 2, 0) / Math.max(numbers.length - 1, 1);
  const half = 1.96 * Math.sqrt(variance / numbers.length);
  return { mean, low: mean - half, high: mean + half };
}

function line(text: string, isFine: boolean): void {
  if (!isFine) missed++;
  process.stdout.write(`${text}${isFine ? '' : ' **missed**'}\n`);
}
