/**
 * Whether the rewards of one arm have a lower mean than those of another: an e-process by betting, for two streams with any shares, with
 * a look after each block.
 *
 * Rewards are taken in blocks of `blockLength`, in their order. In a block, the first answer is of the candidate with the probability
 * p = candidates / answers of the block, the next one with the same of the answers left, and so on. So
 * (μ − reward) × (1 / p for the candidate, −1 / (1 − p) for the incumbent) has the mean "incumbent − candidate", for
 * any μ that is fixed before: a difference weighted by inverse probabilities (as Waudby-Smith et al., "Anytime-valid off-policy inference for contextual bandits",
 * 2022). Wealth is multiplied by 1 + λ times that, which is at most 1 on average where the candidate is no worse (Ville's inequality, as in `MeanTest`).
 *
 * What it assumes: in a block, which answers are the candidate's is random, and at each place the candidate's mean is no lower than the incumbent's.
 * Means may change at any time in any way that both share. The probability of an arm need not be known, so an arm may have less feedback. One reward for each unit
 * that is assigned: answers of one unit have one arm together.
 */
export class TwoArmTest {
  /** ln of the wealth now: an e-value at any stopping time. */
  logWealth = 0;
  /** The highest `logWealth` so far. */
  peak = 0;
  readonly #harm: number;
  #block: { isCandidate: boolean; reward: number }[] = [];
  /** The incumbent's recent mean and variance, which only tune the bets. */
  #mean = 0.5;
  #variance = 0.25;
  #incumbents = 0;

  /** @param harm the difference that bets are tuned to; another true one is found later, never falsely */
  constructor(harm: number) {
    this.#harm = harm;
  }

  add(isCandidate: boolean, reward: number): void {
    this.#block.push({ isCandidate, reward });
    if (this.#block.length < blockLength) return;
    let candidates = this.#block.filter((each) => each.isCandidate).length;
    for (const [place, each] of this.#block.entries()) {
      this.#bet(each, candidates / (blockLength - place));
      if (each.isCandidate) candidates--;
      else this.#learn(each.reward);
    }
    this.#block = [];
  }

  /** Leaves out the answers since the last block: after shares change, they would not be like those that come. */
  endVersion(): void {
    this.#block = [];
  }

  #bet({ isCandidate, reward }: { isCandidate: boolean; reward: number }, share: number): void {
    if (share === 0 || share === 1) return; // known before, so that it says nothing
    const mean = this.#mean;
    // For rewards of 0 and 1, `harm / variance` is the likelihood ratio of a mean that is `harm` lower. Neither arm may lose all.
    const bet = Math.min(
      (betShare * this.#harm) / this.#variance,
      largestBet / ((1 - share) * (1 - mean)),
      largestBet / (share * mean),
    );
    this.logWealth += Math.log1p(bet * (mean - reward) * (isCandidate ? 1 - share : -share));
    this.peak = Math.max(this.peak, this.logWealth);
  }

  #learn(reward: number): void {
    this.#incumbents++;
    const weight = 1 / Math.min(this.#incumbents + assumedWeight, memory);
    this.#variance += weight * ((reward - this.#mean) ** 2 - this.#variance);
    this.#mean += weight * (reward - this.#mean);
  }
}

/** Longer blocks lose less: with n answers, the share of ln(n) / n of what they could show. */
const blockLength = 100;
/** Of the bet with the fastest growth (`npm run bench -- policies`). */
const betShare = 0.8;
/** Of a bet that could lose all wealth with one reward. */
const largestBet = 0.9;
/** The first mean and variance count as so many rewards. */
const assumedWeight = 10;
/** How many of the incumbent's rewards its recent mean is made of. */
const memory = 1000;
