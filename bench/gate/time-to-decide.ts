import { Gate } from '../../src/domain/statistics/gate.ts';
import type { GatePlan } from '../../src/domain/statistics/plan.ts';
import { alpha } from './fixed-size.ts';
import type { ThreadPairs } from './thread-pairs.ts';

export type Outcomes = {
  /** Threads until a promotion, in ascending order; infinite for runs without one. */
  promoted: Float64Array;
  /** Threads until a promotion or rejection. */
  decided: Float64Array;
};

/** The pass rate of answers, or another score with the same values. */
const score = { measure: { kind: 'score', low: 0, high: 1 }, better: 'higher' } as const;

/**
 * How soon gates decide.
 *
 * @param guardrails the threads' differences in guardrails with a margin of five points
 * @param most threads after which runs end
 */
export function timeToDecide(
  pairs: ThreadPairs,
  named: number,
  guardrails: Guardrails,
  most: number,
  runs: number,
  random: () => number,
): Outcomes {
  const plan: GatePlan = {
    target: { name: 'passes', ...score, gain: named },
    guardrails: Array.from({ length: guardrails.count }, (_, i) => ({
      name: `guardrail ${i}`,
      ...score,
      margin: 0.05,
    })),
    watched: [],
    alpha,
    threads: most,
    threadsMax: most,
  };
  const promoted = new Float64Array(runs).fill(Infinity);
  const decided = new Float64Array(runs).fill(Infinity);
  const differences = { target: 0, guardrails: new Array<number>(guardrails.count).fill(0), watched: [] };
  for (let run = 0; run < runs; run++) {
    const gate = new Gate(plan);
    for (let n = 1; n <= most; n++) {
      const outcome = pairs.draw(random);
      differences.target = pairs.differences[outcome]!;
      for (let i = 0; i < guardrails.count; i++) differences.guardrails[i] = guardrails.draw(outcome, random);
      const verdict = gate.add(differences);
      if (verdict === null) continue;
      if (verdict.kind !== 'not-enough-evidence') decided[run] = n;
      if (verdict.kind === 'promote') promoted[run] = n;
      break;
    }
  }
  return { promoted: promoted.sort(), decided: decided.sort() };
}

/** Differences of guardrails, given the outcome of the target. */
export type Guardrails = { draw: (outcome: number, random: () => number) => number; count: number };

export const noGuardrails: Guardrails = { draw: () => 0, count: 0 };

/**
 * Differences of a guardrail, of which a share comes from the same luck as those of the target: they are at the same place of their
 * distribution. The others are independent.
 */
export function guardrailDraws(target: ThreadPairs, guardrail: ThreadPairs, shared: number) {
  const places = ascending(target);
  const found = ascending(guardrail);
  return (outcome: number, random: () => number): number => {
    if (random() >= shared) return guardrail.differences[guardrail.draw(random)]!;
    const place = places.start[outcome]! + random() * target.probabilities[outcome]!;
    let i = 0;
    while (i < found.order.length - 1 && found.end[i]! < place) i++;
    return guardrail.differences[found.order[i]!]!;
  };
}

/** Outcomes by ascending difference, and where each one is in the distribution. */
function ascending({ differences, probabilities }: ThreadPairs) {
  const order = [...differences.keys()].sort((a, b) => differences[a]! - differences[b]!);
  const start = new Float64Array(order.length);
  const end = new Float64Array(order.length);
  let sum = 0;
  for (const [i, outcome] of order.entries()) {
    start[outcome] = sum;
    sum += probabilities[outcome]!;
    end[i] = sum;
  }
  return { order, start, end };
}
