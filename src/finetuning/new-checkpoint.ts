import { newId, type ProjectId } from '../contract/ids.ts';
import type { TrainingState } from '../engine/training/types.ts';
import { deleteCheckpointBlobs } from '../services/training/delete-blobs.ts';
import { trainingKeys } from '../services/training/training-keys.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { listedCheckpoints } from '../store/postgres/training/checkpoints.ts';
import { writeCheckpoint } from './checkpoint-files.ts';
import type { JobRun } from './job-run.ts';

type Stores = { postgres: Postgres; blobs: Blobs };
type Owner = { projectId: ProjectId; jobId: string; assertHeld: JobRun['assertHeld'] };

/**
 * Makes a checkpoint of a job: the files first, then `list`, so that a checkpoint that is listed is whole. Files that are never
 * listed are deleted with those of the job, or here if another process runs the job by now.
 * @param list is given the bytes of all files
 */
export async function makeCheckpoint<Listed>(
  stores: Stores,
  owner: Owner,
  { id, state }: { id: string; state: TrainingState },
  list: (sizeBytes: number) => Promise<Listed>,
): Promise<Listed> {
  const { projectId, jobId } = owner;
  await stores.blobs.put(`${trainingKeys.begunCheckpoints(projectId, jobId)}/${id}`, new Uint8Array());
  try {
    return await list(await writeCheckpoint(stores.blobs, trainingKeys.checkpoint(projectId, id), state));
  } catch (error) {
    await deleteIfTaken(stores, owner, id).catch(() => {}); // the error that ends the job matters more
    throw error;
  }
}

/** Once another process has taken the job, no transaction of this one is left that could list the checkpoint. */
async function deleteIfTaken({ postgres, blobs }: Stores, { projectId, assertHeld }: Owner, id: string): Promise<void> {
  try {
    await assertHeld();
  } catch {
    if (!(await listedCheckpoints(postgres, [id])).has(id)) await deleteCheckpointBlobs(blobs, projectId, id);
  }
}

/**
 * The id of the checkpoint at the end of a job. Older versions expect that of the job; a run beside which an earlier one may
 * still write takes one that nobody else has.
 */
export function newCheckpointId({ job, isFirst }: Pick<JobRun, 'job' | 'isFirst'>): string {
  return isFirst ? job.id : newId();
}
