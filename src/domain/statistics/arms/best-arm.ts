import { RunningMean } from './running-mean.ts';
import { type Stratum, strataMean } from './strata-mean.ts';
import { TwoArmTest } from './two-arm-test.ts';

/** An answer whose window has closed: its reward from 0 to 1, or null if no feedback came, and the version that assigned it. */
export type ArmOutcome = { arm: number; reward: number | null; version: number };

export type ArmCounts = {
  /** Answers with feedback whose window has closed. */
  counted: number;
  /** Their mean reward, with bounds that hold at all looks: the mean of those of the versions, as `strataMean` has it. */
  mean: number | null;
  lower: number | null;
  upper: number | null;
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
 * Arms are compared within versions, which are periods of constant shares; evidence of versions is multiplied. Of each version, up to 99 answers of each pair of arms are not
 * compared. Memory is constant for each version, and the same outcomes in the same order make the same state.
 */
export class BestArm {
  readonly #names: readonly string[];
  readonly #threshold: number;
  readonly #pairs: Pair[];
  readonly #versions: { version: number; arms: ArmSums[] }[] = [];

  /**
   * @param arms their names, at least two; outcomes and results have places in this list
   * @param gain the smallest difference of mean rewards that matters: others are found too, later
   */
  constructor({ arms, alpha, gain }: { arms: readonly string[]; alpha: number; gain: number }) {
    const places = [...arms.keys()];
    this.#names = arms;
    this.#threshold = Math.log((arms.length * (arms.length - 1)) / alpha);
    this.#pairs = places.flatMap((better) =>
      places
        .filter((worse) => worse !== better)
        .map((worse) => ({ better, worse, seen: new TwoArmTest(gain), against: new TwoArmTest(gain) })),
    );
  }

  /** In the order in which windows closed, one outcome for each unit. Answers whose window is open are not added. */
  add({ arm, reward, version }: ArmOutcome): void {
    const sums = this.#sumsOf(version)[arm]!;
    if (reward === null) sums.missing++;
    else sums.values.add(reward);
    for (const { better, worse, seen, against } of this.#pairs) {
      if (arm !== better && arm !== worse) continue;
      if (reward !== null) seen.add(arm === worse, reward, version);
      against.add(arm === worse, reward ?? (arm === worse ? 1 : 0), version);
    }
  }

  /** How many outcomes of a version were added. */
  countOf(version: number): number {
    return (
      this.#versions.find((each) => each.version === version)?.arms.reduce((sum, arm) => sum + answersOf(arm), 0) ?? 0
    );
  }

  /** @param among the places of the arms that are compared: arms that are out stay out */
  look(among: readonly number[]): BestArmLook {
    const arms = this.#names.map((_, arm) => this.#countsOf(arm, among));
    return { verdict: this.#verdict(among, arms), arms };
  }

  /**
   * For `nextShares`: of each of these arms, the largest e-value now against it, at least 1. Unlike those of winners, they can fall again. Missing rewards are left out.
   */
  evidenceAgainst(among: readonly number[]): number[] {
    return among.map((arm) => {
      const against = this.#pairs.filter(({ better, worse }) => worse === arm && among.includes(better));
      return Math.exp(Math.min(largestLog, Math.max(0, ...against.map(({ seen }) => seen.logWealth))));
    });
  }

  #sumsOf(version: number): ArmSums[] {
    const known = this.#versions.findLast((each) => each.version === version);
    if (known !== undefined) return known.arms;
    const arms = this.#names.map(() => ({ values: new RunningMean(), missing: 0 }));
    this.#versions.push({ version, arms });
    return arms;
  }

  /** The means are those of versions in which all arms that are compared have feedback. */
  #countsOf(arm: number, among: readonly number[]): ArmCounts {
    const counts = { counted: 0, missing: 0 };
    const strata: (Stratum & ArmSums)[] = [];
    for (const { arms } of this.#versions) {
      const sums = arms[arm]!;
      counts.counted += sums.values.count;
      counts.missing += sums.missing;
      if ([arm, ...among].some((each) => arms[each]!.values.count === 0)) continue;
      strata.push({ ...sums, weight: among.reduce((sum, each) => sum + answersOf(arms[each]!), 0) });
    }
    const total = strata.reduce((sum, { weight }) => sum + weight, 0);
    const meanIf = (missingAs: number) =>
      strata.reduce((sum, { values, missing, weight }) => {
        const all = values.count * values.mean! + missing * missingAs;
        return sum + (weight / total) * (all / (values.count + missing));
      }, 0);
    const found = strataMean(strata);
    const { lower, upper } = found?.bounds ?? { lower: null, upper: null };
    const range = found === null ? { lowest: null, highest: null } : { lowest: meanIf(0), highest: meanIf(1) };
    return { ...counts, mean: found?.mean ?? null, lower, upper, ...range };
  }

  #verdict(among: readonly number[], counts: readonly ArmCounts[]): BestArmVerdict {
    const pairsOf = (arm: number) => this.#pairs.filter(({ better, worse }) => better === arm && among.includes(worse));
    const arm = among.find((each) => pairsOf(each).every(({ seen }) => this.#isShown(seen)));
    if (arm === undefined || among.length < 2) return { kind: 'open' };
    const rivals = pairsOf(arm)
      .filter(({ against }) => !this.#isShown(against))
      .map(({ worse }) => worse);
    if (rivals.length === 0) return { kind: 'winner', arm };
    return { kind: 'depends-on-missing', arm, rivals, warning: this.#warning(arm, rivals, counts) };
  }

  #isShown({ peak }: TwoArmTest): boolean {
    return peak >= this.#threshold;
  }

  #warning(arm: number, rivals: readonly number[], counts: readonly ArmCounts[]): string {
    const describe = (each: number, bound: 'lowest' | 'highest', as: number) => {
      const { counted, missing, mean, ...of } = counts[each]!;
      return `${this.#names[each]} has a mean of ${points(mean)} and misses ${missing} of ${counted + missing} rewards (${points(of[bound])} if they count as ${as})`;
    };
    return `The winner depends on missing feedback: ${[describe(arm, 'lowest', 0), ...rivals.map((each) => describe(each, 'highest', 1))].join('; ')}.`;
  }
}

type ArmSums = { values: RunningMean; missing: number };

function answersOf({ values, missing }: ArmSums): number {
  return values.count + missing;
}

function points(mean: number | null): string {
  return mean === null ? 'none' : mean.toFixed(3);
}

const largestLog = 700;
