import { z } from 'zod';
import { unprocessable } from '../../contract/errors.ts';
import { type Family, familyOfArchitecture, takenArchitectures } from './families.ts';

const schema = z.object({
  architectures: z.array(z.string()).default([]),
  max_position_embeddings: z.int().positive(),
  quantization_config: z.object({ quant_method: z.string().default('unknown') }).nullish(),
});

export type ReadConfig = { architecture: string; family: Family; contextLength: number };

/** Reads the text of a `config.json`. @throws ApiError for a model the engine does not run, with what it is */
export function readModelConfig(text: string): ReadConfig {
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw unprocessable(`config.json is not that of a model: ${z.prettifyError(parsed.error)}`);
  const { architectures, max_position_embeddings, quantization_config } = parsed.data;
  const architecture = architectures[0] ?? 'no architecture';
  const family = familyOfArchitecture(architecture);
  if (family === null) {
    throw unprocessable(`config.json names ${architecture}; the architectures taken are ${takenArchitectures}.`);
  }
  if (quantization_config) {
    throw unprocessable(
      `The weights are quantised by ${quantization_config.quant_method}; safetensors are taken unquantised, GGUF files quantised.`,
    );
  }
  return { architecture, family, contextLength: max_position_embeddings };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unprocessable(`config.json is no JSON: ${(error as Error).message}.`);
  }
}
