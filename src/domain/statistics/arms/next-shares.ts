import { invalidInput } from '../../../util/failures.ts';

export type NextSharesPlan = {
  /** Of each arm, the e-value against it (`BestArm.evidenceAgainst`), at least 1. */
  evidenceAgainst: readonly number[];
  /** The smallest share of each arm: every probability stays known and above 0. */
  floor: number;
  /** The place of an arm that is shown to be best, which then has all above the floors of the others; null for none. */
  winner: number | null;
  /** The shares now, and how many answers of the version whose window has closed were compared. */
  current: readonly number[];
  compared: number;
};

/**
 * The shares of the next version, or null to keep the current version. Above the floor, an arm's share is proportional to 1 / evidence against it, so shares are equal without evidence, and an
 * arm that is shown to be worse soon has only its floor.
 *
 * A version lasts until `answersPerVersion` answers of it were compared, as up to 99 of each pair of arms are lost with its end, and until a share changes by at least 0.01.
 *
 * @throws Failure if the floors of all arms are above 1 together, or a floor is not above 0
 */
export function nextShares({ evidenceAgainst, floor, winner, current, compared }: NextSharesPlan): number[] | null {
  const arms = evidenceAgainst.length;
  if (!(floor > 0 && floor * arms <= 1))
    throw invalidInput(
      `The smallest share of an arm is ${floor}; it must be above 0 and at most ${1 / arms} with ${arms} arms.`,
    );
  if (compared < answersPerVersion * arms) return null;
  const least = Math.min(...evidenceAgainst);
  const weights = evidenceAgainst.map((evidence, arm) => (winner === null ? least / evidence : Number(arm === winner)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = weights.map((weight) => floor + ((1 - floor * arms) * weight) / total);
  return shares.some((share, arm) => Math.abs(share - current[arm]!) >= smallestChange) ? shares : null;
}

const answersPerVersion = 500;
const smallestChange = 0.01;
