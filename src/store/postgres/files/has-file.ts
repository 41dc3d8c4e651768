import type { Postgres } from '../postgres.ts';

export async function hasFile(postgres: Postgres, projectId: string, digest: string): Promise<boolean> {
  const row = await postgres.db
    .selectFrom('files')
    .select('digest')
    .where('project_id', '=', projectId)
    .where('digest', '=', digest)
    .executeTakeFirst();
  return row !== undefined;
}
