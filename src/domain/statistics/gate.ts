import { holm } from './holm.ts';
import { betShares, MeanTest, type MeanTestPlan } from './mean-test.ts';
import { differenceBounds, type GatePlan, type Metric, type Watched } from './plan.ts';
import { threadsNeeded } from './threads-needed.ts';

/** The differences of one thread (`threadDifference`), in the order of the plan. */
export type ThreadDifferences = {
  target: number;
  guardrails: readonly number[];
  /** Null where the thread has no row of a slice. */
  watched: readonly (number | null)[];
};

export type GateLook = {
  /** Threads that were compared so far. */
  threads: number;
  /** Null while threads may still be added. */
  verdict: Verdict | null;
  /**
   * An estimate of the further threads until a promotion in 80 % of runs, if the gain is the smallest that matters and nothing else
   * has changed. 0 if nothing is missing.
   */
  threadsNeeded: number;
  /** "Better on traffic like it": threads are a sample. This line decides. */
  onTraffic: TestLine;
  /** "Better on this suite": threads are drawn from it without replacement. */
  onSuite: TestLine;
  /** The evidence that the gain is below the smallest one that matters. */
  gainTooSmall: TestLine;
  guardrails: GuardrailLine[];
  watched: WatchedLine[];
};

export type Verdict =
  | { kind: 'promote' }
  | { kind: 'reject'; reasons: RejectReason[] }
  /** The budget or the suite is used up. */
  | { kind: 'not-enough-evidence' };

export type RejectReason =
  | { kind: 'gain-too-small' }
  | { kind: 'guardrail-worse'; name: string }
  | { kind: 'watched-harm'; name: string };

export type TestLine = {
  shown: boolean;
  /** A p-value that is valid at any look. */
  pValue: number;
};

type GuardrailLine = TestLine & {
  name: string;
  /** Whether it is shown to be worse than its margin. */
  worse: boolean;
};

export type WatchedLine = {
  name: string;
  state: WatchedState;
  pValue: number;
  threads: number;
  /** About how many threads of it show the smallest harm that matters in 80 % of runs. */
  threadsNeeded: number;
};

/** `too-small`: the suite has too few threads of it to rely on. Harm that is shown still blocks, but nothing waits for it. */
type WatchedState = 'harm' | 'no-harm-shown' | 'looking' | 'too-small';

/**
 * Compares a candidate with the incumbent, one whole thread after another. Looks may come after each thread. Of candidates without any
 * gain, or worse than the margin of a guardrail, at most a share `alpha` is ever promoted.
 *
 * A candidate is rejected when its gain is shown to be below the smallest one that matters (wrong with a probability of at most
 * `alpha`), or when harm is shown: a guardrail worse than its margin, or a watched metric worse than before (Holm over all of these, so at most
 * `alpha` for all together). The first decision is final. A look costs constant time and memory for each metric.
 */
export class Gate {
  readonly #plan: GatePlan;
  readonly #threshold: number;
  readonly #gain: MeanTest;
  readonly #gainOnSuite: MeanTest;
  readonly #gainTooSmall: MeanTest;
  readonly #notWorse: MeanTest[];
  readonly #worse: MeanTest[];
  readonly #harm: MeanTest[];
  /** What `#missing` found at which number of threads: it is slow, and looks of most threads change few slices. */
  readonly #lastMissing: { count: number; missing: number }[];
  #threads = 0;
  #verdict: Verdict | null = null;

  /** @param plan that `checkPlan` accepts */
  constructor(plan: GatePlan) {
    const { target, guardrails, watched } = plan;
    this.#plan = plan;
    this.#threshold = -Math.log(plan.alpha);
    this.#gain = testOf(target, 'above', 0, target.gain);
    this.#gainOnSuite = testOf(target, 'above', 0, target.gain, { population: plan.threads });
    this.#gainTooSmall = testOf(target, 'below', target.gain, target.gain);
    this.#notWorse = guardrails.map((each) => testOf(each, 'above', -each.margin, each.margin));
    this.#worse = guardrails.map((each) => testOf(each, 'below', -each.margin, each.margin));
    this.#lastMissing = watched.map(() => ({ count: -1, missing: 0 }));
    this.#harm = watched.map((each) => testOf(each, 'below', 0, each.harm, { betShare: betShares.watch }));
  }

  /** Adds a thread, and returns the verdict as soon as there is one. Threads after it are not counted. */
  add({ target, guardrails, watched }: ThreadDifferences): Verdict | null {
    if (this.#verdict) return this.#verdict;
    this.#threads++;
    this.#gain.add(target);
    this.#gainOnSuite.add(target);
    this.#gainTooSmall.add(target);
    for (const [i, difference] of guardrails.entries()) {
      this.#notWorse[i]!.add(difference);
      this.#worse[i]!.add(difference);
    }
    for (const [i, difference] of watched.entries()) if (difference !== null) this.#harm[i]!.add(difference);
    this.#verdict = this.#decide();
    return this.#verdict;
  }

  look(): GateLook {
    const harmed = this.#harmed();
    return {
      threads: this.#threads,
      verdict: this.#verdict,
      threadsNeeded: this.#threadsNeeded(),
      onTraffic: this.#line(this.#gain),
      onSuite: this.#line(this.#gainOnSuite),
      gainTooSmall: this.#line(this.#gainTooSmall),
      guardrails: this.#plan.guardrails.map(({ name }, i) => ({
        name,
        ...this.#line(this.#notWorse[i]!),
        worse: harmed.guardrails[i]!,
      })),
      watched: this.#plan.watched.map((each, i) => this.#watchedLine(each, i, harmed.watched[i]!)),
    };
  }

  #decide(): Verdict | null {
    const reasons = this.#reasonsToReject();
    if (reasons.length > 0) return { kind: 'reject', reasons };
    const shown = [this.#gain, ...this.#notWorse].every((test) => this.#isShown(test));
    if (shown && this.#looking().length === 0) return { kind: 'promote' };
    const ended = this.#threads >= Math.min(this.#plan.threads, this.#plan.threadsMax);
    return ended ? { kind: 'not-enough-evidence' } : null;
  }

  #reasonsToReject(): RejectReason[] {
    const reasons: RejectReason[] = [];
    if (this.#isShown(this.#gainTooSmall)) reasons.push({ kind: 'gain-too-small' });
    if (![...this.#worse, ...this.#harm].some((test) => this.#isShown(test))) return reasons;
    const harmed = this.#harmed();
    for (const [i, { name }] of this.#plan.guardrails.entries()) {
      if (harmed.guardrails[i]) reasons.push({ kind: 'guardrail-worse', name });
    }
    for (const [i, { name }] of this.#plan.watched.entries()) {
      if (harmed.watched[i]) reasons.push({ kind: 'watched-harm', name });
    }
    return reasons;
  }

  #harmed(): { guardrails: boolean[]; watched: boolean[] } {
    const all = holm(
      [...this.#worse, ...this.#harm].map(({ peak }) => peak),
      this.#plan.alpha,
    );
    return { guardrails: all.slice(0, this.#worse.length), watched: all.slice(this.#worse.length) };
  }

  /** Watched metrics that a promotion must wait for. */
  #looking(): { watched: Watched; missing: number }[] {
    return this.#plan.watched
      .map((watched, i) => ({ watched, missing: this.#missing(watched, i) }))
      .filter(({ missing }) => missing > 0);
  }

  /** How many more threads a promotion waits for: until harm would have been shown, or the suite has no more of them. */
  #missing(watched: Watched, i: number): number {
    const test = this.#harm[i]!;
    if (test.count >= watched.threads) return 0;
    const last = this.#lastMissing[i]!;
    if (last.count !== test.count) {
      const isTooSmall = this.#threadsToShowHarm(watched, test, 0.8) > watched.threads;
      const enough = Math.min(watched.threads, this.#threadsToShowHarm(watched, test, shownBefore));
      this.#lastMissing[i] = { count: test.count, missing: isTooSmall ? 0 : Math.max(0, enough - test.count) };
    }
    return this.#lastMissing[i]!.missing;
  }

  #watchedLine(watched: Watched, i: number, harmed: boolean): WatchedLine {
    const test = this.#harm[i]!;
    const needed = this.#threadsToShowHarm(watched, test, 0.8);
    const unharmed = this.#missing(watched, i) > 0 ? 'looking' : 'no-harm-shown';
    return {
      name: watched.name,
      state: harmed ? 'harm' : needed > watched.threads ? 'too-small' : unharmed,
      pValue: Math.exp(-test.peak),
      threads: test.count,
      threadsNeeded: needed,
    };
  }

  #threadsToShowHarm({ harm }: Watched, { meanSquare }: MeanTest, probability: number): number {
    const level = this.#plan.alpha / (this.#worse.length + this.#harm.length);
    return threadsNeeded({ logWealth: 0, level, gap: harm, meanSquare, betShare: betShares.watch, probability });
  }

  /** Of the slowest part. Watched metrics are spread evenly over the suite. */
  #threadsNeeded(): number {
    const { target, guardrails, alpha, threads } = this.#plan;
    const need = (test: MeanTest, gap: number) =>
      this.#isShown(test)
        ? 0
        : threadsNeeded({ logWealth: test.logWealth, level: alpha, gap, meanSquare: test.meanSquare });
    const looking = this.#looking().map(({ watched, missing }) => (missing * threads) / watched.threads);
    const shown = guardrails.map(({ margin }, i) => need(this.#notWorse[i]!, margin));
    return Math.ceil(Math.max(need(this.#gain, target.gain), ...shown, ...looking));
  }

  #line(test: MeanTest): TestLine {
    return { shown: this.#isShown(test), pValue: Math.exp(-test.peak) };
  }

  #isShown({ peak }: MeanTest): boolean {
    return peak >= this.#threshold;
  }
}

function testOf(
  metric: Metric,
  side: 'above' | 'below',
  nullMean: number,
  gap: number,
  more: Partial<MeanTestPlan> = {},
): MeanTest {
  return new MeanTest({ ...differenceBounds(metric), side, nullMean, gap, population: null, ...more });
}

/** Of the candidates that do the smallest harm that matters, how many show it before a promotion, if the suite has the threads. */
const shownBefore = 0.98;
