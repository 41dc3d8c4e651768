import { type Kysely, sql } from 'kysely';
import type { ProjectId } from '../../../contract/ids.ts';
import type { PolicyVersion } from '../../../domain/policies/version.ts';
import { conflict } from '../../../util/failures.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';

export type Policy = { id: string; projectId: ProjectId; name: string; key: string; createdAt: Date };

/** A version with where it comes from. */
export type StoredVersion = PolicyVersion & {
  createdAt: Date;
  /** The id of a user; null if heddle made it. */
  createdBy: string | null;
  reason: string;
  undoesTo: number | null;
  verdict: unknown;
};

export type NewVersion = PolicyVersion & Pick<StoredVersion, 'createdBy' | 'reason' | 'undoesTo' | 'verdict'>;

type Db = Pick<Kysely<Database>, 'selectFrom' | 'insertInto'>;

/** @throws Failure conflict if the project has a policy of this name */
export function createPolicy({ db }: Postgres, policy: Omit<Policy, 'createdAt'>, version: NewVersion): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const { id, projectId, name, key } = policy;
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('policies')
      .values({ id, project_id: projectId, name, key })
      .onConflict((on) => on.columns(['project_id', 'name']).doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows !== 1n) throw conflict(`The project already has a policy ${name}.`);
    await insertVersion(transaction, id, version);
  });
}

/** @throws Failure conflict if there is a version of this number by now */
export async function addVersion({ db }: Pick<Postgres, 'db'>, policyId: string, version: NewVersion): Promise<void> {
  await insertVersion(db, policyId, version);
}

async function insertVersion(db: Db, policyId: string, { number, createdBy, ...version }: NewVersion): Promise<void> {
  const { plan, key, experiment, buckets, moved, reason, undoesTo, verdict } = version;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('policy_versions')
    .values({
      ...{ policy_id: policyId, number, created_by: createdBy, reason, undoes_to: undoesTo },
      content: JSON.stringify({ plan, key, experiment, buckets, moved }),
      verdict: verdict === null ? null : JSON.stringify(verdict),
    })
    .onConflict((on) => on.columns(['policy_id', 'number']).doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n)
    throw conflict(`Version ${number} has just been made by another request. Read the policy and try again.`);
}

export async function findPolicy({ db }: Pick<Postgres, 'db'>, projectId: ProjectId, name: string) {
  const row = await selectPolicies(db).where('project_id', '=', projectId).where('name', '=', name).executeTakeFirst();
  return row ? policyOf(row) : null;
}

export async function listPolicies({ db }: Pick<Postgres, 'db'>, projectId: ProjectId | null): Promise<Policy[]> {
  const all = selectPolicies(db).orderBy('name');
  const rows = await (projectId === null ? all : all.where('project_id', '=', projectId)).execute();
  return rows.map(policyOf);
}

function selectPolicies(db: Db) {
  return db.selectFrom('policies').select(['id', 'project_id', 'name', 'key', 'created_at']);
}

type PolicyRow = { id: string; project_id: string; name: string; key: string; created_at: Date };

function policyOf({ id, project_id, name, key, created_at: createdAt }: PolicyRow): Policy {
  return { id, projectId: project_id as ProjectId, name, key, createdAt };
}

/** All policies with the active version. */
export async function latestOfAll({ db }: Pick<Postgres, 'db'>): Promise<{ policy: Policy; version: StoredVersion }[]> {
  const policies = new Map((await listPolicies({ db }, null)).map((policy) => [policy.id, policy]));
  const rows = await db
    .selectFrom('policy_versions')
    .distinctOn('policy_id')
    .selectAll()
    .orderBy('policy_id')
    .orderBy('number', 'desc')
    .execute();
  return rows.flatMap((row) => {
    const policy = policies.get(row.policy_id);
    return policy ? [{ policy, version: versionOf(row) }] : [];
  });
}

/** The versions of a policy, the newest first. */
export async function listVersions({ db }: Pick<Postgres, 'db'>, policyId: string): Promise<StoredVersion[]> {
  return (await selectVersions(db, policyId).execute()).map(versionOf);
}

/** The active version. */
export async function latestVersion({ db }: Pick<Postgres, 'db'>, policyId: string): Promise<StoredVersion | null> {
  const row = await selectVersions(db, policyId).limit(1).executeTakeFirst();
  return row ? versionOf(row) : null;
}

function selectVersions(db: Db, policyId: string) {
  return db.selectFrom('policy_versions').selectAll().where('policy_id', '=', policyId).orderBy('number', 'desc');
}

type VersionRow = Awaited<ReturnType<ReturnType<typeof selectVersions>['execute']>>[number];

function versionOf(row: VersionRow): StoredVersion {
  return {
    ...(parsePlain(row.content) as Omit<PolicyVersion, 'number'>),
    ...{ number: row.number, createdAt: row.created_at, createdBy: row.created_by, reason: row.reason },
    ...{ undoesTo: row.undoes_to, verdict: row.verdict === null ? null : parsePlain(row.verdict) },
  };
}

/** @returns whether there was one */
export async function deletePolicy({ db }: Postgres, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('policies').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The tokens of unseen answers on a day (UTC). */
export async function shadowTokens({ db }: Pick<Postgres, 'db'>, policyId: string, at: Date): Promise<number> {
  const row = await db
    .selectFrom('policy_shadow_tokens')
    .select('tokens')
    .where('policy_id', '=', policyId)
    .where('day', '=', dayOf(at))
    .executeTakeFirst();
  return row?.tokens ?? 0;
}

export async function addShadowTokens({ db }: Pick<Postgres, 'db'>, policyId: string, at: Date, tokens: number) {
  await db
    .insertInto('policy_shadow_tokens')
    .values({ policy_id: policyId, day: dayOf(at), tokens })
    .onConflict((on) =>
      on.columns(['policy_id', 'day']).doUpdateSet({
        tokens: sql`policy_shadow_tokens.tokens + excluded.tokens`,
      }),
    )
    .execute();
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
