import { z } from 'zod';
import { planFields, type WirePlan } from '../contract/policies/policy.ts';
import { validate } from '../contract/validate.ts';
import { bucketCount } from '../domain/policies/buckets.ts';
import { parsePolicyName } from '../domain/policies/name.ts';
import type { Identity } from '../identity/identity.ts';
import { type Owner, ownerOf } from '../services/owner.ts';
import type { Policies, PolicyWithVersion, PolicyWithVersions } from '../services/policies/policies.ts';
import { planOf, wirePlan } from '../services/policies/wire-plan.ts';
import { invalidInput } from '../util/failures.ts';

/** `entity/project/name`, with or without `policy:///`. */
const named = z.object({ policy: z.string() });

export const policyListParams = z.object({ project: z.string() });
export const policyParams = named;
export const policySetParams = named.extend({
  reason: z.string(),
  /** The plan, as in the API. */
  plan: z.unknown().optional(),
  /** The current stage of the plan. */
  stage: z.number().optional(),
});
export const policyUndoParams = named.extend({ version: z.number().optional(), reason: z.string() });

export const policyEstimateParams = named.extend({ shares: z.record(z.string(), z.number()), reward: z.string() });

type Parts = { identity: Identity; policies: Policies };

export async function listPolicies({ identity, policies }: Parts, { project }: z.output<typeof policyListParams>) {
  return (await policies.list(await ownerOfProject(identity, project))).map(line);
}

export async function showPolicy({ identity, policies }: Parts, params: z.output<typeof policyParams>) {
  const { owner, name } = await find(identity, params.policy);
  const { versions } = await policies.read(owner, name);
  const usernames = await identity.usernames(versions.flatMap(({ createdBy }) => createdBy ?? []));
  return versions.map((version) => ({
    ...lineOf(version),
    createdAt: version.createdAt.toISOString(),
    createdBy: version.createdBy === null ? 'heddle' : (usernames.get(version.createdBy) ?? version.createdBy),
    look: version.found?.look ?? null,
  }));
}

/** Makes a policy, or its next version. */
export async function setPolicy({ identity, policies }: Parts, params: z.output<typeof policySetParams>) {
  const { policy, plan, stage, reason } = params;
  const { owner, name } = await find(identity, policy);
  const latest = (await policies.list(owner)).find((each) => each.policy.name === name);
  if (plan === undefined) {
    if (latest === undefined) throw invalidInput(`There is no policy ${policy} yet. Give its plan with --file.`);
    if (stage === undefined) throw invalidInput('Give the plan with --file, or a stage with --stage.');
    const changed = withStage(wirePlan(latest.version.plan), stage);
    const change = { plan: planOf(changed), reason, expected: latest.version.number };
    return line(await policies.addVersion(owner, name, change));
  }
  if (stage !== undefined) throw invalidInput('Give either --file or --stage, not both.');
  const change = { plan: planOf(validate(z.object(planFields), plan, 'plan')), reason };
  if (latest === undefined) return line(await policies.create(owner, name, change));
  return line(await policies.addVersion(owner, name, { ...change, expected: latest.version.number }));
}

export async function undoPolicy({ identity, policies }: Parts, params: z.output<typeof policyUndoParams>) {
  const { owner, name } = await find(identity, params.policy);
  return line(await policies.undo(owner, name, { number: params.version ?? null, reason: params.reason }));
}

export async function judgeShares({ identity, policies }: Parts, params: z.output<typeof policyEstimateParams>) {
  const { owner, name } = await find(identity, params.policy);
  return policies.estimate(owner, name, params);
}

function withStage(plan: WirePlan, stage: number): WirePlan {
  const { traffic } = plan;
  if (traffic.kind !== 'stages') throw invalidInput(`The policy has no stages: it is of the kind ${traffic.kind}.`);
  return { ...plan, traffic: { ...traffic, stage } };
}

function line({ policy, version }: PolicyWithVersion) {
  return { name: policy.name, ...lineOf(version) };
}

function lineOf({
  number,
  plan,
  buckets,
  reason,
}: PolicyWithVersions['versions'][number] | PolicyWithVersion['version']) {
  const counts = plan.variants.map(() => 0);
  for (const [variant, count] of buckets) counts[variant]! += count;
  const shares = plan.variants.map(({ name }, place) => ({ name, share: counts[place]! / bucketCount }));
  return { number, kind: plan.traffic.kind, incumbent: plan.incumbent, shares, reason };
}

async function find(identity: Identity, policy: string): Promise<{ owner: Owner; name: string }> {
  const parsed = parsePolicyName(policy.startsWith('policy:') ? policy : `policy:///${policy}`);
  if (parsed === null) throw invalidInput(`${policy} is not of the form ENTITY/PROJECT/NAME.`);
  return { owner: await ownerOfProject(identity, parsed.project), name: parsed.name };
}

async function ownerOfProject(identity: Identity, project: string): Promise<Owner> {
  const caller = await identity.findOwner();
  if (caller === null) throw invalidInput('This server has no owner yet.');
  return ownerOf({ identity }, caller, project, 'read');
}
