import type { ProjectId } from '../../contract/ids.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { listedCheckpoints } from '../../store/postgres/training/checkpoints.ts';
import { artifactKeys } from '../artifacts/artifact-keys.ts';
import { trainingKeys } from './training-keys.ts';

const deletedTogetherMax = 1000;

/** Deletes every blob below a prefix. */
export async function deleteBlobs(blobs: Blobs, prefix: string): Promise<void> {
  let keys: string[] = [];
  for await (const key of blobs.list(`${prefix}/`)) {
    keys.push(key);
    if (keys.length < deletedTogetherMax) continue;
    await blobs.deleteMany(keys);
    keys = [];
  }
  await blobs.deleteMany(keys);
}

/**
 * Deletes what a job needed until its end, and the files of checkpoints that were written and never listed: of runs that were
 * interrupted, canceled or failed. Call it only when the job is over, so that none of them will be.
 */
export async function deleteJobBlobs(
  { postgres, blobs }: { postgres: Postgres; blobs: Blobs },
  projectId: ProjectId,
  jobId: string,
): Promise<void> {
  const prefix = `${trainingKeys.begunCheckpoints(projectId, jobId)}/`;
  const begun = [jobId]; // what an older version wrote under it has no file here
  for await (const key of blobs.list(prefix)) begun.push(key.slice(prefix.length));
  const listed = await listedCheckpoints(postgres, begun);
  for (const id of begun) if (!listed.has(id)) await deleteCheckpointBlobs(blobs, projectId, id);
  await deleteBlobs(blobs, trainingKeys.job(projectId, jobId));
}

/** Deletes the files of a checkpoint, and the manifest of its artifact. */
export async function deleteCheckpointBlobs(blobs: Blobs, projectId: ProjectId, id: string): Promise<void> {
  await deleteBlobs(blobs, trainingKeys.checkpoint(projectId, id));
  await blobs.delete(artifactKeys.manifest(projectId, id));
}
