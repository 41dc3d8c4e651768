import { invalidInput } from '../../util/failures.ts';
import { parseRewardPath } from '../training/reward.ts';
import { bucketCount } from './buckets.ts';
import { type BestArmTraffic, decides, type PolicyPlan, type PolicyScorer, type Traffic } from './plan.ts';

const variantsMax = 20;
const nameShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws Failure that names the field and its rule */
export function checkPlan({ variants, incumbent, traffic, scorers, alpha }: PolicyPlan): void {
  if (variants.length === 0 || variants.length > variantsMax)
    throw invalid('variants', `A policy has 1 to ${variantsMax} variants, got ${variants.length}.`);
  const names = variants.map(({ name }) => name);
  for (const name of names) {
    if (!nameShape.test(name))
      throw invalid(
        'variants',
        `${JSON.stringify(name)} is not a name: use up to 64 letters, digits, ".", "_" and "-".`,
      );
  }
  if (new Set(names).size < names.length) throw invalid('variants', 'Two variants have the same name.');
  known('incumbent', incumbent);
  checkTraffic(traffic, incumbent);
  for (const scorer of scorers) checkScorer(scorer);
  if (new Set(scorers.map(({ reward }) => reward)).size < scorers.length)
    throw invalid('scorers', 'Two scorers have the same reward.');
  if (!(alpha > 0 && alpha <= 0.5)) throw invalid('alpha', `alpha must be above 0 and at most 0.5, got ${alpha}.`);

  function known(param: string, name: string): void {
    if (!names.includes(name)) throw invalid(param, `There is no variant ${name}. Variants: ${names.join(', ')}.`);
  }

  function checkTraffic(of: Traffic, best: string) {
    switch (of.kind) {
      case 'split':
        for (const name of Object.keys(of.shares)) known('traffic', name);
        checkShares('traffic.shares', of.shares);
        return;
      case 'stages':
        checkCandidate(of.candidate, best);
        checkStages(of);
        return;
      case 'shadow':
        checkCandidate(of.candidate, best);
        checkShare('traffic.share', of.share);
        if (!Number.isSafeInteger(of.tokensPerDay) || of.tokensPerDay < 0)
          throw invalid('traffic.tokens_per_day', 'tokens_per_day must be an integer of at least 0.');
        return;
      case 'best_arm':
        for (const name of Object.keys(of.shares ?? {})) known('traffic', name);
        checkBestArm(of, names, best);
        checkObjective(of.scorer);
        return;
      default:
        return of satisfies never;
    }
  }

  function checkObjective(reward: string): void {
    const scorer = scorers.find((each) => each.reward === reward);
    if (scorer === undefined)
      throw invalid('traffic.scorer', `No scorer has the reward ${reward}. Add it to scorers, with its window.`);
    if (!decides(scorer))
      throw invalid(
        'traffic.scorer',
        `${reward} is only shown. Shares follow a scorer whose "missing" is another one.`,
      );
  }

  function checkCandidate(candidate: string, best: string): void {
    known('traffic.candidate', candidate);
    if (candidate === best) throw invalid('traffic.candidate', 'The candidate must not be the incumbent.');
  }
}

/** @throws Failure that names the field and its rule */
export function checkShares(param: string, shares: Record<string, number>): void {
  for (const share of Object.values(shares)) checkShare(param, share);
  const sum = Object.values(shares).reduce((total, share) => total + share, 0);
  if (Math.abs(sum - 1) > 1e-6) throw invalid(param, `The shares must add up to 1, got ${sum}.`);
}

function checkBestArm({ least, shares }: BestArmTraffic, names: string[], incumbent: string): void {
  if (names.length < 2) throw invalid('variants', 'The best of one variant cannot be found: name at least two.');
  if (!(least >= 1 / bucketCount && least * names.length <= 1))
    throw invalid(
      'traffic.least',
      `least must be between ${1 / bucketCount} and ${1 / names.length} with ${names.length} variants, got ${least}.`,
    );
  if (shares === null) return;
  checkShares('traffic.shares', shares);
  for (const name of names) {
    const share = shares[name] ?? 0;
    if (share + 1e-9 < least && (share > 0 || name === incumbent))
      throw invalid(
        'traffic.shares',
        `The share of ${name} is ${share}. It must be at least ${least}, which is "least"${name === incumbent ? '' : ', or 0 to leave it out'}.`,
      );
  }
}

function checkStages({ stages, stage }: Extract<Traffic, { kind: 'stages' }>): void {
  if (stages.length === 0 || stages.length > 20) throw invalid('traffic.stages', 'stages must have 1 to 20 shares.');
  for (const share of stages) checkShare('traffic.stages', share);
  if (stages.some((share, index) => index > 0 && share <= stages[index - 1]!))
    throw invalid('traffic.stages', 'Each stage must have a larger share than the one before.');
  if (stages[0]! < 1 / bucketCount)
    throw invalid('traffic.stages', `A stage must have a share of at least ${1 / bucketCount}.`);
  if (!Number.isInteger(stage) || stage < 0 || stage > stages.length)
    throw invalid('traffic.stage', `stage must be between 0 (no traffic) and ${stages.length}, got ${stage}.`);
}

function checkShare(param: string, share: number): void {
  if (!(share >= 0 && share <= 1)) throw invalid(param, `A share must be between 0 and 1, got ${share}.`);
}

const windowSecondsMax = 30 * 24 * 3600;

function checkScorer({ reward, low, high, windowSeconds, harm }: PolicyScorer): void {
  if (parseRewardPath(reward).kind === 'field')
    throw invalid('scorers', `${reward} is a field of the call. A scorer of a policy reads feedback: name a score.`);
  if (!(windowSeconds > 0 && windowSeconds <= windowSecondsMax))
    throw invalid('scorers', `window_seconds of ${reward} must be above 0 and at most ${windowSecondsMax}.`);
  if (!(low < high)) throw invalid('scorers', `low of ${reward} must be below high.`);
  if (!(harm > 0 && harm < 1)) throw invalid('scorers', `harm of ${reward} must be between 0 and 1, got ${harm}.`);
}

function invalid(param: string, message: string) {
  return invalidInput(message, { param });
}
