import { comparableShares, type Unit } from '../../domain/policies/assign.ts';
import { checkShares } from '../../domain/policies/check-plan.ts';
import { PolicyOutcomes } from '../../domain/policies/policy-outcomes.ts';
import { judgePolicy, type LoggedUnit, type PolicyJudgement } from '../../domain/statistics/arms/judge-policy.ts';
import type { Policy, StoredVersion } from '../../store/postgres/policies/policies.ts';
import { invalidInput } from '../../util/failures.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import type { Deps } from '../deps.ts';
import { clockSkewUs, closeUnits, readAnswers } from './read-outcomes.ts';

/** Shares that a policy could have had, and the scorer by whose rewards it is judged. */
export type EstimateQuery = { shares: Record<string, number>; reward: string };

export type PolicyEstimate = {
  /** The versions whose units were used. */
  versions: number[];
  /** Units with a reward, and those whose window closed without feedback and that are left out. */
  units: number;
  missing: number;
  judgement: PolicyJudgement | { kind: 'refused'; reason: 'no-units'; effectiveSize: 0; message: string };
};

/** How many answers are read at most for one estimate. */
const answersMax = 500_000;

/**
 * Estimates the mean reward that other shares would have had, from the units of the current experiment whose windows have closed. Versions in
 * which a variant of these shares had no traffic say nothing about it and are left out, if there are others.
 * @param versions all, the oldest first
 * @throws Failure for shares or a reward that the policy does not have, or too many answers
 */
export async function estimatePolicy(
  { clickhouse, peers }: Pick<Deps, 'clickhouse' | 'peers'>,
  { policy, projectName, versions }: { policy: Policy; projectName: string; versions: StoredVersion[] },
  { shares, reward }: EstimateQuery,
): Promise<PolicyEstimate> {
  const latest = versions.at(-1)!;
  const names = latest.plan.variants.map(({ name }) => name);
  const judged = names.map((name) => shares[name] ?? 0);
  check(shares, names);
  const scorer = latest.plan.scorers.find((each) => each.reward === reward);
  if (scorer === undefined) {
    const rewards = latest.plan.scorers.map((each) => each.reward).join(', ');
    throw invalidInput(`The policy has no scorer ${reward}. Its scorers: ${rewards || 'none'}.`, { param: 'reward' });
  }
  // Each version is read by itself and with this scorer alone: nothing is decided here.
  const compared = versions
    .filter(({ experiment }) => experiment === latest.experiment)
    .map((version) => ({ ...version, plan: { ...version.plan, scorers: [scorer], traffic: fixed } }));
  const supported = compared.filter((version) => {
    const logged = loggedShares(version, names, 'request');
    return judged.every((share, place) => share === 0 || logged[place]! > 0);
  });
  const used = supported.length > 0 ? supported : compared;
  const isUsed = new Set(used.map(({ number }) => number));
  const outcomes = new PolicyOutcomes(used, () => true);

  const startedAfter = used[0]!.createdAt.getTime() * 1000 - clockSkewUs;
  const writtenBefore = (await peers.numbers.settled()) + (peers.isAlone ? 0 : 1);
  let read = 0;
  const from = { startedAfter, after: { version: 0, callId: '' }, writtenBefore };
  for await (const { answers } of readAnswers(clickhouse, policy, from)) {
    read += answers.length;
    if (read > answersMax)
      throw invalidInput(`The experiment has more than ${answersMax} answers, too many for an estimate.`);
    for (const { version, answer } of answers) if (isUsed.has(version)) outcomes.add(version, answer);
  }
  const loggedBy = new Map(used.map((version) => [version.number, sharesByKind(version, names)]));
  const units: LoggedUnit[] = [];
  const known = new Set<string>();
  let missing = 0;
  for await (const { unit, of, reward: found } of closeUnits(
    clickhouse,
    { policy, projectName },
    outcomes,
    nowMicroseconds(),
  )) {
    // Threads and users count in the first version only: their units of later ones are not independent.
    if (known.has(unit.id)) continue;
    known.add(unit.id);
    if (found === null) missing++;
    else {
      const place = used.find(({ number }) => number === of.number)!.plan.variants[unit.variant]!.name;
      const kind = unit.kind === 'request' ? 'request' : 'thread';
      const logged = loggedBy.get(of.number)![kind];
      units.push({ action: names.indexOf(place), reward: found, logged, judged, stratum: `${of.number} ${kind}` });
    }
  }
  const judgement = units.length === 0 ? noUnits : judgePolicy(units, names);
  return { versions: [...isUsed], units: units.length, missing, judgement };
}

const fixed = { kind: 'split' as const, shares: {} };
const noUnits = {
  ...{ kind: 'refused' as const, reason: 'no-units' as const, effectiveSize: 0 as const },
  message: 'No unit of the experiment has a reward yet.',
};

function check(shares: Record<string, number>, names: string[]): void {
  const unknown = Object.keys(shares).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw invalidInput(`There is no variant ${unknown}. Variants: ${names.join(', ')}.`, { param: 'shares' });
  checkShares('shares', shares);
}

function sharesByKind(version: StoredVersion, names: string[]) {
  return { thread: loggedShares(version, names, 'thread'), request: loggedShares(version, names, 'request') };
}

/** The probabilities of the variants in a version, in the order of the latest one. Units that have moved do not count. */
function loggedShares(version: StoredVersion, names: string[], kind: Unit['kind']): number[] {
  const shares = comparableShares(version, kind);
  return names.map((name) => shares[version.plan.variants.findIndex((each) => each.name === name)] ?? 0);
}
