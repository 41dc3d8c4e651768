import { stat } from 'node:fs/promises';
import { GGMLQuantizationType, type GGUFParseOutput, gguf } from '@huggingface/gguf';
import { unprocessable } from '../../contract/errors.ts';
import { familyOfGguf, takenGgufArchitectures } from './families.ts';
import { type ModelSummary, mostCommon } from './summary.ts';

/** The types taken: elements of a block, and its bytes. */
const blocks: Record<string, [elements: number, bytes: number]> = {
  F32: [1, 4],
  F16: [1, 2],
  BF16: [1, 2],
  Q8_0: [32, 34],
  Q4_0: [32, 18],
  Q4_1: [32, 20],
  Q4_K: [256, 144],
  Q6_K: [256, 210],
};
const takenTypes = Object.keys(blocks).join(', ');

/** Where a GGUF file lies: a path, or an address with the means to read it piece by piece. */
export type GgufPlace = { path: string } | { url: string; fetch: typeof fetch };

/** Looks at the head of a GGUF file, here or far away. @throws ApiError that says why it is no model for us */
export async function inspectGguf(name: string, place: GgufPlace): Promise<ModelSummary> {
  const head = await readHead(name, place);
  if ('path' in place) await checkLength(name, place.path, head);
  const metadata = head.metadata as Record<string, unknown>; // its type knows the keys of each architecture, and we read any
  const architecture = String(metadata['general.architecture'] ?? 'no architecture');
  const family = familyOfGguf(architecture);
  if (family === null) {
    throw unprocessable(`${name} is of ${architecture}; the architectures taken are ${takenGgufArchitectures}.`);
  }
  const contextLength = Number(metadata[`${architecture}.context_length`]);
  if (!Number.isInteger(contextLength) || contextLength < 1) throw damaged(name, 'it names no context length');
  const tokens: unknown = metadata['tokenizer.ggml.tokens'];
  if (!Array.isArray(tokens) || tokens.length === 0) throw unprocessable(`${name} holds no tokenizer.`);
  const elementsByType = countElements(name, head.tensorInfos);
  const parameters = [...elementsByType.values()].reduce((sum, each) => sum + each, 0);
  const weightType = mostCommon(elementsByType);
  return { format: 'gguf', family, architecture, parameters, contextLength, weightType };
}

async function readHead(name: string, place: GgufPlace): Promise<GGUFParseOutput> {
  try {
    if ('path' in place) return await gguf(place.path, { allowLocalFile: true });
    return await gguf(place.url, { fetch: place.fetch });
  } catch (error) {
    throw damaged(name, (error as Error).message);
  }
}

/** The library reads what is not there as zeros: a file must be as long as its last tensor wants it. */
async function checkLength(
  name: string,
  path: string,
  { tensorInfos, tensorDataOffset }: GGUFParseOutput,
): Promise<void> {
  const { size } = await stat(path);
  const ends = tensorInfos.map(({ dtype, shape, offset }) => {
    const [elements, bytes] = blocks[GGMLQuantizationType[dtype]!] ?? [1, 0];
    return Number(tensorDataOffset + offset) + (elementsOf(shape) / elements) * bytes;
  });
  const expected = Math.max(Number(tensorDataOffset), ...ends);
  if (size < expected) throw damaged(name, `it has ${size} of ${expected} bytes: it was cut off`);
}

function countElements(name: string, tensors: GGUFParseOutput['tensorInfos']): Map<string, number> {
  const counted = new Map<string, number>();
  for (const { name: tensor, dtype, shape } of tensors) {
    const type = GGMLQuantizationType[dtype] ?? `type ${dtype}`;
    if (!Object.hasOwn(blocks, type)) {
      throw unprocessable(`${name} holds ${tensor} as ${type}; the types taken are ${takenTypes}.`);
    }
    counted.set(type, (counted.get(type) ?? 0) + elementsOf(shape));
  }
  if (counted.size === 0) throw damaged(name, 'it holds no tensors');
  return counted;
}

function elementsOf(shape: bigint[]): number {
  return shape.reduce((product, size) => product * Number(size), 1);
}

function damaged(name: string, found: string) {
  return unprocessable(`${name} is no sound GGUF file: ${found}.`);
}
