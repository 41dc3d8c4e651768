import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';

/** The bytes of all files of a project. */
export async function sumFiles(postgres: Postgres, projectId: string): Promise<number> {
  const { total } = await postgres.db
    .selectFrom('files')
    .select(sql<number>`coalesce(sum(size_bytes), 0)::float8`.as('total'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return total;
}
