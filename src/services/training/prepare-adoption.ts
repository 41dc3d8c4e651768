import { configFile, weightsFile } from '../../engine/adapters/peft/names.ts';
import { checkPeftFolder } from '../../engine/adapters/peft/read.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import type { Artifact } from '../../store/postgres/artifacts/artifact.ts';
import type { ArtifactFile } from '../../store/postgres/artifacts/files.ts';
import type { AdoptedCheckpoint } from '../../store/postgres/training/adopt-checkpoint.ts';
import { findModelByName } from '../../store/postgres/training/models.ts';
import { Failure, unacceptable } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { configBytesMax } from '../models/adapters/adapter-files.ts';
import { deleteBlobs } from './delete-blobs.ts';
import { trainingKeys } from './training-keys.ts';

/**
 * An uploaded adapter under the name of a model in training becomes a checkpoint of it: clients fork a model by uploading
 * the checkpoint of another one. Its files are copied to one prefix, where the engine reads checkpoints from.
 * @returns null for an artifact that is not the adapter of a model
 */
export async function prepareAdoption(
  { postgres, blobs, localFiles }: Pick<Deps, 'postgres' | 'blobs' | 'localFiles'>,
  { id, projectId, name, type, wantedAliases }: Artifact,
  files: ArtifactFile[],
): Promise<AdoptedCheckpoint | null> {
  const model = type === 'lora' ? await findModelByName(postgres, projectId, name) : null;
  if (!model) return null;
  const [config, weights] = [configFile, weightsFile].map((path) => files.find((file) => file.path === path));
  if (!config?.blobKey || !weights?.blobKey || config.sizeBytes > configBytesMax) return null;
  const prefix = trainingKeys.checkpoint(projectId, id);
  await copy(blobs, config.blobKey, `${prefix}/${configFile}`);
  await copy(blobs, weights.blobKey, `${prefix}/${weightsFile}`);
  if (!(await localFiles.use(prefix, async (folder) => isAdapter(folder)))) {
    await deleteBlobs(blobs, prefix);
    return null;
  }
  const [step] = wantedAliases.flatMap((alias) => /^step(\d{1,9})$/.exec(alias)?.[1] ?? []).map(Number);
  return { id, modelId: model.id, step: step ?? null, sizeBytes: config.sizeBytes + weights.sizeBytes };
}

/** In pieces: weights may be larger than memory. */
async function copy(blobs: Blobs, from: string, to: string): Promise<void> {
  const found = await blobs.get(from);
  if (!found) throw unacceptable('A file of the artifact has just been deleted. Upload it again.');
  await blobs.put(to, found.stream, { sizeBytes: found.sizeBytes });
}

function isAdapter(folder: string): boolean {
  try {
    checkPeftFolder(folder);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}
