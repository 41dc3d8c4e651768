import { type SqlBool, sql } from 'kysely';
import { inTexts } from '../objects/version.ts';
import type { Postgres } from '../postgres.ts';

/** Removes the given prices that belong to the project. */
export async function removePrices(postgres: Postgres, projectId: string, ids: string[]): Promise<void> {
  await postgres.db
    .deleteFrom('prices')
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`id = ${inTexts(ids)}`)
    .execute();
}
