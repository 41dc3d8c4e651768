import { GGMLQuantizationType } from '@huggingface/gguf';
import { unacceptable } from '../../util/failures.ts';
import { weightMemory } from '../memory/weight-memory.ts';
import { readGgufConfig } from '../models/gguf/config.ts';
import { ggufTypes } from '../models/gguf/dequantize.ts';
import { type GgufMetadata, type GgufPlace, readGgufMetadata } from '../models/gguf/metadata.ts';
import { ggufGroups } from '../models/gguf/weights.ts';
import { elementCount } from '../models/weight-source.ts';
import { refusalOf } from './refusing.ts';
import { type ModelSummary, mostCommon } from './summary.ts';

/** Inspects the header of a local or remote GGUF file. @throws Failure with the reason if it cannot be served */
export async function inspectGguf(name: string, place: GgufPlace): Promise<ModelSummary> {
  try {
    const metadata = await readGgufMetadata(place);
    const config = readGgufConfig(metadata, null);
    const tokens = metadata.values['tokenizer.ggml.tokens'];
    if (!Array.isArray(tokens) || tokens.length === 0) throw unacceptable(`${name} has no tokenizer.`);
    const elementsByType = countElements(name, metadata);
    return {
      format: 'gguf',
      family: config.architecture,
      architecture: String(metadata.values['general.architecture']),
      parameters: [...elementsByType.values()].reduce((sum, each) => sum + each, 0),
      contextLength: config.contextMax,
      weightType: mostCommon(elementsByType),
      memoryBytes: weightMemory(config, ggufGroups(metadata, config)).bytes,
    };
  } catch (error) {
    throw refusalOf(error);
  }
}

function countElements(file: string, { tensors }: GgufMetadata): Map<string, number> {
  const counted = new Map<string, number>();
  for (const { name, type, shape } of tensors.values()) {
    const known = ggufTypes.get(type);
    if (known === undefined) {
      const found = GGMLQuantizationType[type] ?? `type ${type}`;
      const taken = [...ggufTypes.values()].map((each) => each.name).join(', ');
      throw unacceptable(`${file} has ${name} in the type ${found}; supported are ${taken}.`);
    }
    counted.set(known.name, (counted.get(known.name) ?? 0) + elementCount(shape));
  }
  return counted;
}
