import { fewestFor } from '../support/binomial-bound.ts';
import { fastRandom } from '../support/fast-random.ts';
import { type FalsePromotions, falsePromotions } from './false-promotions.ts';
import { bestFixedSize, powerCurve } from './fixed-size.ts';
import { better, equal, gain, type Shape, worse } from './settings.ts';
import { equalSlices, harmedSlice } from './slices.ts';
import { threadPairs } from './thread-pairs.ts';
import { guardrailDraws, noGuardrails, timeToDecide } from './time-to-decide.ts';

/** One setting of the simulation. `seed` and `stream` name its random numbers. */
export type Task = { runs: number; seed: number; stream: number } & (
  | { kind: 'equal' | 'at-margin'; rate: number; shape: Shape }
  | { kind: 'better'; rate: number; shape: Shape }
  | { kind: 'harmed-slice' | 'equal-slices' }
);

export type Found =
  | { kind: 'false-promotions'; found: FalsePromotions }
  | { kind: 'times'; fixed: Fixed; times: Times[] }
  | { kind: 'harmed-slice'; rejected: number; forHarm: number }
  | { kind: 'equal-slices'; blocked: number };

/** Threads that the best tests of a fixed size need for a power of 80 %. */
type Fixed = {
  threads: number;
  test: string;
  /** With both guardrails, which are tested as well and independent. */
  withGuardrails: number;
};

/** Threads until 80 % of runs are decided or promoted, and shares of runs by the wanted multiple of the fixed size. */
type Times = {
  name: string;
  wanted: 'gain' | 'guardrails' | 'other-gain';
  decidedBy: number;
  /** The fewest threads by which 80 % may be decided, given what chance can do (99 %). */
  decidedByAtBest: number;
  promotedBy: number;
  rejected: number;
};

export function runTask(task: Task): Found {
  const random = fastRandom(task.seed, task.stream);
  const { runs } = task;
  switch (task.kind) {
    case 'equal':
      return { kind: 'false-promotions', found: atNull(equal(task.rate, task.shape), 0, runs, random) };
    case 'at-margin': {
      // A judge that flips answers changes differences of the score: the truth of the score is at the margin.
      const margin = gain * (1 - 2 * task.shape.flips);
      return { kind: 'false-promotions', found: atNull(worse(task.rate, task.shape), -margin, runs, random) };
    }
    case 'better':
      return withGain(task.rate, task.shape, runs, random);
    case 'harmed-slice':
      return { kind: 'harmed-slice', ...harmedSlice(runs, random) };
    case 'equal-slices':
      return { kind: 'equal-slices', blocked: equalSlices(runs, random) };
    default:
      return task satisfies never;
  }
}

function atNull(pairing: Parameters<typeof threadPairs>[0], nullMean: number, runs: number, random: () => number) {
  return falsePromotions(threadPairs(pairing), nullMean, gain, runs, random);
}

function withGain(rate: number, shape: Shape, runs: number, random: () => number): Found {
  const pairs = threadPairs(better(rate, shape));
  const guardrail = threadPairs(equal(rate, shape));
  const { threads, test, curve } = bestFixedSize(pairs, runs, random);
  const ofGuardrail = powerCurve(guardrail, -gain, curve.student.length - 1, runs, random).student;
  const best = curve.student.map((power, n) => Math.max(power, curve.sign[n]!));
  const withGuardrails = best.findIndex((power, n) => power * ofGuardrail[n]! ** 2 >= 0.8);
  const most = 8 * threads;
  const times = (name: string, wanted: Times['wanted'], named: number, guardrails = noGuardrails): Times => {
    const { promoted, decided } = timeToDecide(pairs, named, guardrails, most, runs, random);
    const at80 = Math.ceil(0.8 * runs) - 1;
    const rejected = decided.filter(Number.isFinite).length - promoted.filter(Number.isFinite).length;
    return {
      name,
      wanted,
      decidedBy: decided[at80]!,
      decidedByAtBest: decided[fewestFor(0.8, runs) - 1]!,
      promotedBy: promoted[at80]!,
      rejected: rejected / runs,
    };
  };
  const withTwo = (shared: number) => ({ count: 2, draw: guardrailDraws(pairs, guardrail, shared) });
  return {
    kind: 'times',
    fixed: { threads, test, withGuardrails },
    times: [
      times('names 5', 'gain', 0.05),
      times('names 3', 'other-gain', 0.03),
      times('names 8', 'other-gain', 0.08),
      times('two guardrails', 'guardrails', 0.05, withTwo(0)),
      times('two guardrails that share half', 'guardrails', 0.05, withTwo(0.5)),
    ],
  };
}
