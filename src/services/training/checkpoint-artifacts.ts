import { createHash, hash } from 'node:crypto';
import type { ProjectId } from '../../contract/ids.ts';
import { digestedLines, writeManifest } from '../../domain/artifacts/manifest.ts';
import { configFile, weightsFile } from '../../engine/adapters/peft/names.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import {
  addCheckpointArtifact,
  type CheckpointContent,
  unlistedCheckpoints,
} from '../../store/postgres/artifacts/checkpoint-artifacts.ts';
import type { ArtifactFile } from '../../store/postgres/artifacts/files.ts';
import { artifactKeys } from '../artifacts/artifact-keys.ts';
import type { Deps } from '../deps.ts';
import { trainingKeys } from './training-keys.ts';

/** The adapter of a stored checkpoint as the content of an artifact, whose manifest is stored. */
export async function checkpointContent(blobs: Blobs, projectId: ProjectId, id: string): Promise<CheckpointContent> {
  const files: ArtifactFile[] = [];
  for (const path of [configFile, weightsFile]) {
    const blobKey = `${trainingKeys.checkpoint(projectId, id)}/${path}`;
    files.push({ path, blobKey, ...(await measure(blobs, blobKey)) });
  }
  await blobs.put(artifactKeys.manifest(projectId, id), Buffer.from(writeManifest(id, files)));
  return { digest: hash('md5', digestedLines(files)), files };
}

async function measure(blobs: Blobs, key: string): Promise<{ digest: string; sizeBytes: number }> {
  const found = await blobs.get(key);
  if (!found) throw new Error('a file of a checkpoint is missing');
  const md5 = createHash('md5');
  for await (const piece of found.stream) md5.update(piece);
  return { digest: md5.digest('base64'), sizeBytes: found.sizeBytes };
}

/** Also lists checkpoints that an older heddle stored as artifacts. */
export async function listOlderCheckpoints({ postgres, blobs }: Pick<Deps, 'postgres' | 'blobs'>): Promise<void> {
  for (const checkpoint of await unlistedCheckpoints(postgres)) {
    const content = await checkpointContent(blobs, checkpoint.projectId as ProjectId, checkpoint.id);
    await postgres.db.transaction().execute((db) => addCheckpointArtifact({ db }, checkpoint, content));
  }
}
