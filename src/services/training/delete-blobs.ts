import type { ProjectId } from '../../contract/ids.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
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

/** Deletes the files of a checkpoint, and the manifest of its artifact. */
export async function deleteCheckpointBlobs(blobs: Blobs, projectId: ProjectId, id: string): Promise<void> {
  await deleteBlobs(blobs, trainingKeys.checkpoint(projectId, id));
  await blobs.delete(artifactKeys.manifest(projectId, id));
}
