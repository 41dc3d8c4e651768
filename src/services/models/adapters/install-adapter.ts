import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../../contract/ids.ts';
import type { Model } from '../../../domain/model.ts';
import { inspectPeftFolder } from '../../../engine/adapters/peft/read.ts';
import { checkModelName } from '../../../engine/registry/names.ts';
import type { ModelSizes } from '../../../inference/model-reader.ts';
import { isDiskFull } from '../../../store/disk/disk-full.ts';
import type { Models } from '../../../store/models/models.ts';
import { Failure } from '../../../util/failures.ts';
import { humanBytes } from '../../../util/human-bytes.ts';
import type { Deps } from '../../deps.ts';
import type { AdapterFile } from './adapter-files.ts';

export type AdapterToInstall = {
  name: string;
  /** Its source. */
  folder: string;
  files: AdapterFile[];
  base: Model;
  id: string;
  /** The user who loads it; null for the operator. */
  loadedBy: string | null;
  /** Called with the folder of the copy before it is served. Throw to reject the adapter. */
  check?(folder: string): Promise<void>;
};

/**
 * Serves a copy of an adapter under a name, replacing the previous adapter of this name. @throws Failure; then nothing
 * has changed
 */
export async function installAdapter(
  { models, modelReader }: Pick<Deps, 'models' | 'modelReader'>,
  wanted: AdapterToInstall,
): Promise<Model> {
  const { name, base, files, id, loadedBy, check } = wanted;
  checkModelName(name);
  const sizeBytes = await checkSizes(models, files);
  const key = JSON.stringify(['adapter', newId()]);
  const folder = await models.stage(key);
  try {
    for (const file of files) await copyFile(file.path, join(folder, file.name), constants.COPYFILE_FICLONE);
    const { rank, parameters, weightType } = inspectPeftFolder(folder, await layersOf(modelReader, base));
    await check?.(folder);
    const { family, architecture, contextLength } = base;
    const source = { kind: 'local' as const, path: wanted.folder };
    const adapter = { base: base.name, rank, loadedBy };
    const about = {
      name,
      source,
      weightsFile: null,
      family,
      architecture,
      weightType,
      memoryBytes: null,
      parameters,
      contextLength,
    };
    return await models.adopt(key, { ...about, sizeBytes, adapter }, id);
  } catch (error) {
    await models.unstage(key);
    if (isDiskFull(error)) throw new Failure('noSpace', 'The disk is full.', {}, { cause: error });
    throw error;
  }
}

/** @returns null for a model at vLLM servers whose files are not here: the servers find out whether the adapter fits */
async function layersOf(modelReader: Deps['modelReader'], base: Model): Promise<ModelSizes['linearLayers'] | null> {
  try {
    return (await modelReader.sizes(base)).linearLayers;
  } catch (error) {
    if (base.source.kind === 'vllm' && error instanceof Failure && error.kind === 'unsupported') return null;
    throw error;
  }
}

async function checkSizes(models: Models, files: AdapterFile[]): Promise<number> {
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const free = Math.max(0, await models.freeBytes());
  if (total <= free) return total;
  throw new Failure('noSpace', `The adapter needs ${humanBytes(total)}, but the disk has ${humanBytes(free)} free.`);
}
