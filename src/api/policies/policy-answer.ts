import type { PolicyVersionAnswer } from '../../contract/policies/policy.ts';
import { bucketCount } from '../../domain/policies/buckets.ts';
import { formatPolicyName } from '../../domain/policies/name.ts';
import type { Identity } from '../../identity/identity.ts';
import type { PolicyWithVersion, PolicyWithVersions } from '../../services/policies/policies.ts';
import { wirePlan } from '../../services/policies/wire-plan.ts';
import { formatTimestamp } from '../../util/timestamp.ts';
import { formatDate } from '../objects/object-answer.ts';

type Names = Pick<Identity, 'usernames'>;
type Version = PolicyWithVersions['versions'][number];

export async function policyAnswer(identity: Names, project: string, { policy, version }: PolicyWithVersion) {
  const [answered] = await versionAnswers(identity, [{ ...version, found: null }]);
  return { ...headOf(project, policy), version: answered! };
}

export async function policyWithVersionsAnswer(
  identity: Names,
  project: string,
  { policy, versions }: PolicyWithVersions,
) {
  return { ...headOf(project, policy), versions: await versionAnswers(identity, versions) };
}

function headOf(project: string, { name, createdAt }: PolicyWithVersion['policy']) {
  return { name, model: formatPolicyName({ project, name }), created_at: formatDate(createdAt) };
}

async function versionAnswers(identity: Names, versions: Version[]): Promise<PolicyVersionAnswer[]> {
  const users = versions.flatMap(({ createdBy }) => (createdBy === null ? [] : [createdBy]));
  const names = await identity.usernames([...new Set(users)]);
  return versions.map((version) => ({
    ...{ number: version.number, created_at: formatDate(version.createdAt), reason: version.reason },
    created_by: version.createdBy === null ? null : (names.get(version.createdBy) ?? version.createdBy),
    ...{ undoes_to: version.undoesTo, verdict: version.verdict, experiment: version.experiment },
    ...wirePlan(version.plan),
    shares: sharesIn(version),
    look: lookOf(version.found),
  }));
}

/** The shares of the buckets, which a variant really gets. */
function sharesIn({ plan, buckets }: Version): Record<string, number> {
  const counts = plan.variants.map(() => 0);
  for (const [variant, count] of buckets) counts[variant]! += count;
  return Object.fromEntries(plan.variants.map(({ name }, place) => [name, counts[place]! / bucketCount]));
}

function lookOf(found: Version['found']): PolicyVersionAnswer['look'] {
  if (found === null) return null;
  const { until, variants, scorers, sampleRatio, bestArm } = found.look;
  return {
    until: formatTimestamp(until),
    looked_at: formatDate(found.at),
    variants: variants.map(({ movedUnits: moved_units, ...variant }) => ({ ...variant, moved_units })),
    scorers: scorers.map(({ reward, variants: scored }) => ({
      reward,
      variants: scored.map(({ harmP: harm_p, ...variant }) => ({ ...variant, harm_p })),
    })),
    sample_ratio: { p: sampleRatio.p, is_mismatch: sampleRatio.isMismatch },
    best_arm: bestArm && {
      ...bestArm,
      arms: bestArm.arms.map(({ isIn: is_in, evidenceAgainst: evidence_against, ...arm }) => ({
        ...{ ...arm, is_in, evidence_against },
      })),
    },
  };
}
