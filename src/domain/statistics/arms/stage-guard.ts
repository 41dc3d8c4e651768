import { TwoArmTest } from './two-arm-test.ts';

export type GuardedArm = 'candidate' | 'incumbent';

/** What a guard has seen of an arm. */
type ArmMean = { count: number; mean: number | null };

export type GuardLook = {
  /** Whether it was shown, now or before, that the candidate's mean is below the incumbent's. It never becomes false again. */
  breached: boolean;
  /** The highest e-value so far. A breach is one of 1 / alpha; 1 divided by it is a p-value that is valid at all times. */
  evidence: number;
  candidate: ArmMean;
  incumbent: ArmMean;
};

/**
 * Whether the candidate of a stage is worse than the incumbent, whatever the shares of both. If it is not, a breach is ever shown with a probability of at
 * most `alpha` (`TwoArmTest` has the assumptions). Looks change after every 100 rewards. Memory is constant, and
 * adding the same rewards in the same order makes the same guard.
 */
export class StageGuard {
  readonly #test: TwoArmTest;
  readonly #threshold: number;
  readonly #sums = { candidate: { count: 0, sum: 0 }, incumbent: { count: 0, sum: 0 } };

  /** @param harm the smallest loss of the mean reward that must be found: others are found too, later */
  constructor({ alpha, harm }: { alpha: number; harm: number }) {
    this.#test = new TwoArmTest(harm);
    this.#threshold = -Math.log(alpha);
  }

  /** @param reward from 0 to 1, in the order in which windows closed; one for each unit, since answers of a unit are not independent. @param version of the shares */
  add(arm: GuardedArm, reward: number, version = 0): void {
    this.#test.add(arm === 'candidate', reward, version);
    this.#sums[arm].count++;
    this.#sums[arm].sum += reward;
  }

  look(): GuardLook {
    return {
      breached: this.#test.peak >= this.#threshold,
      evidence: Math.exp(Math.min(this.#test.peak, largestLog)),
      candidate: meanOf(this.#sums.candidate),
      incumbent: meanOf(this.#sums.incumbent),
    };
  }
}

function meanOf({ count, sum }: { count: number; sum: number }): ArmMean {
  return { count, mean: count === 0 ? null : sum / count };
}

/** Evidence stays a number that JSON can hold. */
const largestLog = 700;
