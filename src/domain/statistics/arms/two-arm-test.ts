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
 * that is assigned: answers of one unit have one arm together. Versions, which are periods of constant shares, have blocks of their own.
 */
export class TwoArmTest {
  /** ln of the wealth now: an e-value at any stopping time. */
  logWealth = 0;
  /** The highest `logWealth` so far. */
  peak = 0;
  readonly #harm: number;
  /** That of the newest version, and before it that of the version before, whose last answers may still come. */
  readonly #blocks: Block[] = [];
  /** The incumbent's recent mean and variance, which only tune the bets. */
  #mean = 0.5;
  #variance = 0.25;
  #incumbents = 0;

  /** @param harm the difference that bets are tuned to; another true one is found later, never falsely */
  constructor(harm: number) {
    this.#harm = harm;
  }

  /** @param version of the shares with which the answer was assigned */
  add(isCandidate: boolean, reward: number, version = 0): void {
    const block = this.#blockOf(version);
    if (block === null) return;
    block.answers.push({ isCandidate, reward });
    if (block.answers.length < blockLength) return;
    let candidates = block.answers.filter((each) => each.isCandidate).length;
    for (const [place, each] of block.answers.entries()) {
      this.#bet(each, candidates / (blockLength - place));
      if (each.isCandidate) candidates--;
      else this.#learn(each.reward);
    }
    block.answers = [];
  }

  /** Blocks that are not full when the version after the next one begins are left out. Null for a version before both that are open. */
  #blockOf(version: number): Block | null {
    const known = this.#blocks.find((each) => each.version === version);
    if (known !== undefined) return known;
    if (this.#blocks.some((each) => each.version > version)) return null;
    const block = { version, answers: [] };
    this.#blocks.push(block);
    if (this.#blocks.length > openBlocksMax) this.#blocks.shift();
    return block;
  }

  #bet({ isCandidate, reward }: Answer, share: number): void {
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

type Answer = { isCandidate: boolean; reward: number };
type Block = { version: number; answers: Answer[] };

const openBlocksMax = 2;
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
