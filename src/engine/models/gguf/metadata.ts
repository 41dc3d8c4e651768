import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type GGUFParseOutput, gguf } from '@huggingface/gguf';
import { UnsoundFileError } from '../config.ts';
import { elementCount } from '../weight-source.ts';
import { ggufTypes } from './dequantize.ts';

type GgufValue = string | number | bigint | boolean | GgufValue[] | null;

/** The header of a GGUF file: its key-value pairs, and the position of each tensor. */
export type GgufMetadata = {
  values: Record<string, GgufValue>;
  tensors: Map<string, GgufTensor>;
};

export type GgufTensor = {
  name: string;
  /** Rows before columns, as in PyTorch. GGUF files have the fastest dimension first. */
  shape: number[];
  /** The number of the type, see `dequantize.ts`. */
  type: number;
  /** From the start of the file. */
  offset: number;
};

/** Where a GGUF file is: a path, or a URL with a `fetch` that can read ranges. */
export type GgufPlace = { path: string } | { url: string; fetch: typeof fetch };

/**
 * Reads the metadata of a GGUF file, including tokenizer and chat template, without its weights.
 * @throws UnsoundFileError if it is not a GGUF file, or incomplete
 */
export async function readGgufMetadata(place: GgufPlace): Promise<GgufMetadata> {
  const parsed = await parseSound(place);
  const tensors = new Map(parsed.tensorInfos.map((info) => [info.name, toTensor(info, parsed.tensorDataOffset)]));
  if (tensors.size === 0) throw new UnsoundFileError(`${nameOf(place)} is not a valid GGUF file: it has no tensors`);
  if ('path' in place) await checkLength(place.path, tensors);
  return { values: valuesOf(parsed), tensors };
}

/**
 * The key-value pairs alone. Whether the file has its tensors is not checked: what is before them is enough.
 * @throws UnsoundFileError if it is not a GGUF file
 */
export async function readGgufValues(path: string): Promise<GgufMetadata['values']> {
  return valuesOf(await parseSound({ path }));
}

/** How many bytes of a GGUF file are before its tensors. @throws UnsoundFileError if it is not a GGUF file */
export async function ggufHeadBytes(path: string): Promise<number> {
  return Number((await parseSound({ path })).tensorDataOffset);
}

async function parseSound(place: GgufPlace): Promise<GGUFParseOutput> {
  return parseHead(place).catch((error: Error) => {
    throw new UnsoundFileError(`${nameOf(place)} is not a valid GGUF file: ${error.message}`);
  });
}

function nameOf(place: GgufPlace): string {
  return basename('path' in place ? place.path : place.url);
}

function valuesOf({ metadata }: GGUFParseOutput): GgufMetadata['values'] {
  const { tensor_count: _count, kv_count: _pairs, version: _version, ...values } = metadata;
  return values as Record<string, GgufValue>;
}

function parseHead(place: GgufPlace): Promise<GGUFParseOutput> {
  return 'path' in place ? gguf(place.path, { allowLocalFile: true }) : gguf(place.url, { fetch: place.fetch });
}

/** The library reads missing bytes as zeros, so check that the file contains its last tensor. */
async function checkLength(path: string, tensors: GgufMetadata['tensors']): Promise<void> {
  const { size } = await stat(path);
  const expected = Math.max(...[...tensors.values()].map(endOf));
  if (size < expected) {
    throw new UnsoundFileError(
      `${basename(path)} is not a valid GGUF file: it is cut off after ${size} of ${expected} bytes`,
    );
  }
}

/** For unsupported types, the size is unknown, so this is where the tensor begins. */
function endOf({ type, shape, offset }: GgufTensor): number {
  const known = ggufTypes.get(type);
  return offset + (known ? (elementCount(shape) / known.blockElements) * known.blockBytes : 0);
}

function toTensor(info: GGUFParseOutput['tensorInfos'][number], dataOffset: bigint): GgufTensor {
  return {
    name: info.name,
    shape: info.shape.map(Number).reverse(),
    type: info.dtype,
    offset: Number(dataOffset + info.offset),
  };
}
