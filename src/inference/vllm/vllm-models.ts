import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Model } from '../../domain/model.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { VllmModel } from './servers/vllm-servers.ts';

/** A model at vLLM servers. `folder`: its files without weights on this machine; null if it has none. */
export type ServedByVllm = Model & { folder: string | null };

/** Describes a model that servers list. Another context, or other files, make it another model, with another id. */
export async function describeModel(
  { name, roots, contextLength }: VllmModel,
  folder: string | null,
  foundAt: Date,
): Promise<ServedByVllm> {
  const config = folder === null ? noConfig : await configOf(folder);
  const id = createHash('sha256')
    .update(JSON.stringify([name, folder, contextLength]))
    .digest('hex')
    .slice(0, idLength);
  return {
    id: `${vllmIdPrefix}${id}`,
    name,
    folder,
    source: { kind: 'vllm', root: roots[0] ?? null },
    family: config.model_type,
    architecture: config.architectures[0] ?? '',
    weightType: config.torch_dtype ?? config.dtype ?? '',
    contextLength: contextLength ?? config.max_position_embeddings ?? contextUnknown,
    ...{ adapter: null, weightsFile: null, memoryBytes: null, parameters: null, sizeBytes: null },
    pulledAt: foundAt,
  };
}

/** The number of token ids of a model. */
export async function vocabSizeOf(folder: string): Promise<number> {
  const { vocab_size, text_config } = await configOf(folder);
  const size = vocab_size ?? text_config?.vocab_size;
  if (size === undefined) throw new Error('config.json has no vocab_size');
  return size;
}

/** Read as far as it is there: vLLM serves more kinds of models than heddle's own engine. */
const configFile = z.object({
  model_type: z.string().catch(''),
  architectures: z.array(z.string()).catch([]),
  torch_dtype: z.string().optional().catch(undefined),
  dtype: z.string().optional().catch(undefined),
  max_position_embeddings: z.int().optional().catch(undefined),
  vocab_size: z.int().optional().catch(undefined),
  text_config: z.object({ vocab_size: z.int() }).optional().catch(undefined),
});

const noConfig: z.output<typeof configFile> = { model_type: '', architectures: [] };

async function configOf(folder: string): Promise<z.output<typeof configFile>> {
  return configFile.parse(parsePlain(await readFile(join(folder, 'config.json'), 'utf8')));
}

const idLength = 24;
export const vllmIdPrefix = 'vllm-';
/** For a server that does not say it, which vLLM does. */
const contextUnknown = 2048;
