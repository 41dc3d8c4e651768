import { Gate, type GateLook, type ThreadDifferences, type Verdict } from '../statistics/gate.ts';
import { type MeanBounds, MeanInterval } from '../statistics/mean-interval.ts';
import { differenceBounds, type Metric } from '../statistics/plan.ts';
import type { StoredPlan } from './stored-plan.ts';

/** A thread that both models have answered. */
export type ComparedThread = {
  thread: string;
  rows: number;
  /** Whether it is unlike what the models were trained on: only clean threads decide. */
  isClean: boolean;
  differences: ThreadDifferences;
};

/** A mean difference with the bounds that are valid at every look. */
export type Estimate = { threads: number; mean: number | null; bounds: MeanBounds };

/** The estimates of a plan's metrics. */
export type Estimates = {
  target: Estimate;
  /** The target with the threads that are not clean. */
  targetOfAll: Estimate;
  guardrails: Estimate[];
  watched: Estimate[];
};

/** What a gate knows after some threads. */
export type GateState = Estimates & { look: GateLook };

/** What a gate makes of threads, without estimates. This costs about a microsecond for each thread and metric. */
export function lookAt(plan: StoredPlan, threads: readonly ComparedThread[]): GateLook {
  const gate = new Gate(plan);
  for (const { isClean, differences } of threads) if (isClean) gate.add(differences);
  return gate.look();
}

/**
 * Compares threads one by one, in the order of the plan. Adding a thread costs about 0.1 ms for each metric, most of it for the bounds.
 */
export class Comparison {
  readonly #gate: Gate;
  readonly #target: Running;
  readonly #targetOfAll: Running;
  readonly #guardrails: Running[];
  readonly #watched: Running[];
  #verdict: Verdict | null = null;

  constructor(plan: StoredPlan) {
    const { target, guardrails, watched, alpha } = plan;
    this.#gate = new Gate(plan);
    this.#target = new Running(target, target.gain, alpha, [0, target.gain]);
    this.#targetOfAll = new Running(target, target.gain, alpha, [0, target.gain]);
    this.#guardrails = guardrails.map((each) => new Running(each, each.margin, alpha, [0, -each.margin]));
    this.#watched = watched.map((each) => new Running(each, each.harm, alpha, [0, -each.harm]));
  }

  /** Threads after the verdict are not counted. */
  add({ isClean, differences }: ComparedThread): void {
    if (this.#verdict !== null) return;
    this.#targetOfAll.add(differences.target);
    if (!isClean) return;
    this.#verdict = this.#gate.add(differences);
    this.#target.add(differences.target);
    for (const [i, difference] of differences.guardrails.entries()) this.#guardrails[i]!.add(difference);
    for (const [i, difference] of differences.watched.entries()) {
      if (difference !== null) this.#watched[i]!.add(difference);
    }
  }

  get verdict(): Verdict | null {
    return this.#verdict;
  }

  get look(): GateLook {
    return this.#gate.look();
  }

  get estimates(): Estimates {
    const estimates = (all: Running[]) => all.map((each) => each.estimate);
    return {
      target: this.#target.estimate,
      targetOfAll: this.#targetOfAll.estimate,
      guardrails: estimates(this.#guardrails),
      watched: estimates(this.#watched),
    };
  }
}

class Running {
  readonly #interval: MeanInterval;
  #count = 0;
  #sum = 0;

  constructor(metric: Metric, gap: number, level: number, exactAt: number[]) {
    this.#interval = new MeanInterval({ ...differenceBounds(metric), gap, level, exactAt, population: null });
  }

  add(value: number): void {
    this.#count++;
    this.#sum += value;
    this.#interval.add(value);
  }

  get estimate(): Estimate {
    const mean = this.#count === 0 ? null : this.#sum / this.#count;
    return { threads: this.#count, mean, bounds: this.#interval.bounds };
  }
}
