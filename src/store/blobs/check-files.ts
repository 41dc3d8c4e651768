import type { Postgres } from '../postgres/postgres.ts';
import type { Blobs } from './blobs.ts';
import { fileKey } from './file-key.ts';
import { isSound } from './is-sound.ts';

export type FileCheck = { checked: number; total: number; damaged: string[] };

/** Reads stored files, the newest first, and compares them with their digests until the time is up. */
export async function checkFiles(postgres: Postgres, blobs: Blobs, timeMs: number): Promise<FileCheck> {
  const files = await postgres.db
    .selectFrom('files')
    .select(['project_id', 'digest'])
    .orderBy('created_at', 'desc')
    .execute();
  const until = performance.now() + timeMs;
  const check: FileCheck = { checked: 0, total: files.length, damaged: [] };
  for (const { project_id, digest } of files) {
    if (performance.now() > until) break;
    const key = fileKey(project_id, digest);
    if (!(await isSound(blobs, key))) check.damaged.push(key);
    check.checked++;
  }
  return check;
}
