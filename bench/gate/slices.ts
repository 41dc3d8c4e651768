import { Gate } from '../../src/domain/statistics/gate.ts';
import { holm } from '../../src/domain/statistics/holm.ts';
import { betShares, MeanTest } from '../../src/domain/statistics/mean-test.ts';
import type { GatePlan } from '../../src/domain/statistics/plan.ts';
import { alpha } from './fixed-size.ts';
import { threadPairs } from './thread-pairs.ts';

const rows = 2000;
const single = { rowsPerThread: 1, correlation: 0, flips: 0 };
const score = { measure: { kind: 'score', low: 0, high: 1 }, better: 'higher' } as const;
/** The harm that the plan names for slices. */
const harm = 0.2;

/**
 * A candidate that is five points better on the average of 2,000 rows, and 20 points worse in a slice of 300; nine other slices are
 * watched. Returns how many gates reject it, and how many of them for its harm.
 */
export function harmedSlice(runs: number, random: () => number): { rejected: number; forHarm: number } {
  const slices = slicesOf([300, ...split(rows - 300, 9)]);
  const worse = threadPairs({ ...single, incumbent: 0.8, candidate: 0.6 });
  const better = threadPairs({ ...single, incumbent: 0.8, candidate: 0.8 + (rows * 0.05 + 300 * 0.2) / (rows - 300) });
  const plan: GatePlan = {
    target: { name: 'passes', ...score, gain: 0.05 },
    guardrails: [],
    watched: slices.sizes.map((threads, i) => ({ name: `slice ${i}`, ...score, harm, threads })),
    alpha,
    threads: rows,
    threadsMax: rows,
  };
  let rejected = 0;
  let forHarm = 0;
  for (let run = 0; run < runs; run++) {
    const gate = new Gate(plan);
    shuffle(slices.ofRows, random);
    for (const slice of slices.ofRows) {
      const pairs = slice === 0 ? worse : better;
      const difference = pairs.differences[pairs.draw(random)]!;
      const watched = slices.sizes.map((_, i) => (i === slice ? difference : null));
      const verdict = gate.add({ target: difference, guardrails: [], watched });
      if (verdict === null) continue;
      if (verdict.kind === 'reject') {
        rejected++;
        if (verdict.reasons.some(({ kind }) => kind === 'watched-harm')) forHarm++;
      }
      break;
    }
  }
  return { rejected, forHarm };
}

/** Counts the runs in which one of ten equal slices of 2,000 rows blocks a candidate that equals the incumbent. Nothing else ends a run. */
export function equalSlices(runs: number, random: () => number): number {
  const slices = slicesOf(split(rows, 10));
  const pairs = threadPairs({ ...single, incumbent: 0.8, candidate: 0.8 });
  const plan = {
    low: -1,
    high: 1,
    side: 'below',
    nullMean: 0,
    gap: harm,
    betShare: betShares.watch,
    population: null,
  } as const;
  let blocked = 0;
  for (let run = 0; run < runs; run++) {
    const tests = slices.sizes.map(() => new MeanTest(plan));
    shuffle(slices.ofRows, random);
    for (const slice of slices.ofRows) tests[slice]!.add(pairs.differences[pairs.draw(random)]!);
    // Peaks only rise, so what Holm rejects at the last look includes what it rejected before.
    if (
      holm(
        tests.map(({ peak }) => peak),
        alpha,
      ).includes(true)
    )
      blocked++;
  }
  return blocked;
}

function slicesOf(sizes: number[]): { sizes: number[]; ofRows: Int32Array } {
  return { sizes, ofRows: Int32Array.from(sizes.flatMap((size, slice) => new Array<number>(size).fill(slice))) };
}

function split(total: number, parts: number): number[] {
  return Array.from(
    { length: parts },
    (_, i) => Math.floor(((i + 1) * total) / parts) - Math.floor((i * total) / parts),
  );
}

function shuffle(values: Int32Array, random: () => number): void {
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const moved = values[i]!;
    values[i] = values[j]!;
    values[j] = moved;
  }
}
