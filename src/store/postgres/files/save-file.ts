import type { Postgres } from '../postgres.ts';

/** Records a file whose bytes are stored. The name of the last upload wins. */
export async function saveFile(
  postgres: Postgres,
  file: { projectId: string; digest: string; name: string; sizeBytes: number },
): Promise<void> {
  await postgres.db
    .insertInto('files')
    .values({ project_id: file.projectId, digest: file.digest, name: file.name, size_bytes: file.sizeBytes })
    .onConflict((on) => on.columns(['project_id', 'digest']).doUpdateSet({ name: file.name }))
    .execute();
}
