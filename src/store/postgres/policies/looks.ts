import type { PolicyLook } from '../../../domain/policies/look.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Postgres } from '../postgres.ts';

type Db = Pick<Postgres, 'db'>;

/** Keeps what was last found about a version. */
export async function saveLook({ db }: Db, policyId: string, version: number, look: PolicyLook): Promise<void> {
  const found = { look: JSON.stringify(look), looked_at: new Date() };
  await db
    .insertInto('policy_looks')
    .values({ policy_id: policyId, version, ...found })
    .onConflict((on) => on.columns(['policy_id', 'version']).doUpdateSet(found))
    .execute();
}

/** What was last found about each version, by its number. */
export async function readLooks({ db }: Db, policyId: string): Promise<Map<number, { look: PolicyLook; at: Date }>> {
  const rows = await db
    .selectFrom('policy_looks')
    .select(['version', 'look', 'looked_at'])
    .where('policy_id', '=', policyId)
    .execute();
  return new Map(rows.map(({ version, look, looked_at: at }) => [version, { look: lookOf(look), at }]));
}

/** Looks that earlier releases stored have no best arm. */
function lookOf(text: string): PolicyLook {
  return { bestArm: null, ...parsePlain(text) };
}
