import { LRUCache } from 'lru-cache';
import { chatTemplatesOf } from '../../chat/tokenizer/served-text.ts';
import { linearLayers } from '../../engine/adapters/linear-layers.ts';
import { readConfig } from '../../engine/models/open-source.ts';
import type { WithModelFiles } from '../../engine/models/with-model-files.ts';
import { notFound } from '../../util/failures.ts';
import type { ModelReader, ModelSizes } from '../model-reader.ts';
import type { AdapterPlaces } from '../with-adapter-folder.ts';
import { readFileDigests } from './file-digests.ts';

const knownMax = 1000;

/** Reads models on this machine from their files. */
export function openOwnModelReader(
  withModelFiles: WithModelFiles,
  withLocalFiles: AdapterPlaces['withLocalFiles'] = withoutCheckpoints,
): ModelReader {
  /** By the id of the model. The metadata of a large vocabulary takes time to read. */
  const known = new LRUCache<string, ModelSizes>({ max: knownMax });
  return {
    async sizes(model) {
      const sizes = known.get(model.id) ?? (await withModelFiles(model, readSizes));
      known.set(model.id, sizes);
      return sizes;
    },
    chatTemplates: (model) => withModelFiles(model, chatTemplatesOf),
    withTextFiles: withModelFiles,
    fileDigests: (model) => readFileDigests({ withModelFiles, withLocalFiles }, model),
  };
}

async function readSizes(path: string): Promise<ModelSizes> {
  const config = await readConfig(path);
  return { contextLength: config.contextMax, hiddenSize: config.hiddenSize, linearLayers: linearLayers(config) };
}

async function withoutCheckpoints(prefix: string): Promise<never> {
  throw notFound(`There are no files ${prefix} here.`);
}
