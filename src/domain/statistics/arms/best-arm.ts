import { TwoArmTest } from './two-arm-test.ts';

/** An answer whose window has closed: its reward from 0 to 1, or null if no feedback came. */
export type ArmOutcome = { arm: number; reward: number | null };

type ArmCounts = {
  /** Answers with feedback whose window has closed, and their mean reward. */
  counted: number;
  mean: number | null;
  /** Answers whose window closed without feedback. */
  missing: number;
  /** The mean if all missing rewards were 0, and if all were 1. */
  lowest: number | null;
  highest: number | null;
};

export type BestArmVerdict =
  | { kind: 'winner'; arm: number }
  /** The arm wins among answers with feedback, but not if its own missing rewards were 0 and those of `rivals` 1. */
  | { kind: 'depends-on-missing'; arm: number; rivals: number[]; warning: string }
  | { kind: 'open' };

export type BestArmLook = { verdict: BestArmVerdict; arms: ArmCounts[] };

/** The evidence that `better` has a higher mean than `worse`. */
type Pair = {
  better: number;
  worse: number;
  /** From answers with feedback. */
  seen: TwoArmTest;
  /** From all, where missing rewards of `better` are 0 and those of `worse` are 1. */
  against: TwoArmTest;
};

/**
 * Which of several arms has the highest mean reward, with a look at any time. Each ordered pair of arms is tested at alpha / number of ordered pairs, so a wrong winner is ever
 * announced with a probability of at most `alpha`: for any reason for which feedback may be missing, as a winner must also win with
 * its missing rewards as 0 and those of the others as 1. `TwoArmTest` has the assumptions.
 *
 * Arms are compared within versions, which are periods of constant shares; evidence of versions is multiplied. Memory is constant, and the same outcomes and versions in
 * the same order make the same state.
 */
export class BestArm {
  readonly #threshold: number;
  readonly #pairs: Pair[];
  readonly #sums: { counted: number; sum: number; missing: number }[];

  readonly #names: readonly string[];

  /**
   * @param arms their names, at least two; outcomes and results have places in this list
   * @param gain the smallest difference of mean rewards that matters: others are found too, later
   */
  constructor({ arms, alpha, gain }: { arms: readonly string[]; alpha: number; gain: number }) {
    const places = [...arms.keys()];
    this.#names = arms;
    this.#sums = places.map(() => ({ counted: 0, sum: 0, missing: 0 }));
    this.#threshold = Math.log((arms.length * (arms.length - 1)) / alpha);
    this.#pairs = places.flatMap((better) =>
      places
        .filter((worse) => worse !== better)
        .map((worse) => ({ better, worse, seen: new TwoArmTest(gain), against: new TwoArmTest(gain) })),
    );
  }

  /** In the order in which windows closed, one outcome for each unit. Answers whose window is open are not added. */
  add({ arm, reward }: ArmOutcome): void {
    const sums = this.#sums[arm]!;
    if (reward === null) sums.missing++;
    else {
      sums.counted++;
      sums.sum += reward;
    }
    for (const { better, worse, seen, against } of this.#pairs) {
      if (arm !== better && arm !== worse) continue;
      if (reward !== null) seen.add(arm === worse, reward);
      against.add(arm === worse, reward ?? (arm === worse ? 1 : 0));
    }
  }

  /** Before the first outcome of answers that were assigned with other shares. Up to 99 answers of each pair of arms are not compared. */
  startVersion(): void {
    for (const { seen, against } of this.#pairs) {
      seen.endVersion();
      against.endVersion();
    }
  }

  look(): BestArmLook {
    return { verdict: this.#verdict(), arms: this.#sums.map(countsOf) };
  }

  /**
   * For `nextShares`: of each arm, the largest e-value now against it, at least 1. Unlike those of winners, they can fall again. Missing rewards are left out.
   */
  get evidenceAgainst(): number[] {
    return this.#sums.map((_, arm) =>
      Math.exp(
        Math.min(
          largestLog,
          Math.max(0, ...this.#pairs.filter(({ worse }) => worse === arm).map((pair) => pair.seen.logWealth)),
        ),
      ),
    );
  }

  #verdict(): BestArmVerdict {
    const arm = this.#sums.findIndex((_, each) => this.#pairsOf(each).every(({ seen }) => this.#isShown(seen)));
    if (arm === -1) return { kind: 'open' };
    const rivals = this.#pairsOf(arm)
      .filter(({ against }) => !this.#isShown(against))
      .map(({ worse }) => worse);
    if (rivals.length === 0) return { kind: 'winner', arm };
    return { kind: 'depends-on-missing', arm, rivals, warning: this.#warning(arm, rivals) };
  }

  #pairsOf(arm: number): Pair[] {
    return this.#pairs.filter(({ better }) => better === arm);
  }

  #isShown({ peak }: TwoArmTest): boolean {
    return peak >= this.#threshold;
  }

  #warning(arm: number, rivals: readonly number[]): string {
    const describe = (each: number, bound: 'lowest' | 'highest', as: number) => {
      const counts = countsOf(this.#sums[each]!);
      const all = counts.counted + counts.missing;
      return `${this.#names[each]} has a mean of ${points(counts.mean)} and misses ${counts.missing} of ${all} rewards (${points(counts[bound])} if they count as ${as})`;
    };
    return `The winner depends on missing feedback: ${[describe(arm, 'lowest', 0), ...rivals.map((each) => describe(each, 'highest', 1))].join('; ')}.`;
  }
}

function countsOf({ counted, sum, missing }: { counted: number; sum: number; missing: number }): ArmCounts {
  const all = counted + missing;
  return {
    counted,
    mean: counted === 0 ? null : sum / counted,
    missing,
    lowest: all === 0 ? null : sum / all,
    highest: all === 0 ? null : (sum + missing) / all,
  };
}

function points(mean: number | null): string {
  return mean === null ? 'none' : mean.toFixed(3);
}

const largestLog = 700;
