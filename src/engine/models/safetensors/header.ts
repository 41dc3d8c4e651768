import { basename } from 'node:path';
import { z } from 'zod';
import { parsePlain } from '../../../util/json/parse.ts';
import { UnsoundFileError, UnsupportedModelError } from '../config.ts';
import type { FileBytes } from '../file-bytes.ts';
import { elementCount } from '../weight-source.ts';
import { type ElementType, elementTypes } from './element-types.ts';

export type SafetensorsTensor = { dtype: string; type: ElementType; shape: number[]; offset: number };

const lengthBytes = 8;
const headerBytesMax = 100_000_000; // the limit of the format

const tensorSchema = z.object({
  dtype: z.string(),
  shape: z.array(z.int().nonnegative()),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});

/**
 * Reads the names and positions of the tensors in a safetensors file.
 * @throws UnsoundFileError if the header does not fit the file; UnsupportedModelError for an unsupported type
 */
export function readSafetensorsHeader(file: FileBytes): Map<string, SafetensorsTensor> {
  const length =
    file.size < lengthBytes ? 0 : Number(new DataView(file.read(0, lengthBytes).buffer).getBigUint64(0, true));
  const dataStart = lengthBytes + length;
  if (length < 2 || length > headerBytesMax || dataStart > file.size) {
    throw unsound(file, `its header would be ${length} bytes long, and the file has ${file.size}`);
  }
  const { __metadata__: _, ...entries } = parseHeader(file, length);
  const tensors = new Map<string, SafetensorsTensor>();
  for (const [name, entry] of Object.entries(entries)) tensors.set(name, readEntry(file, name, entry, dataStart));
  if (tensors.size === 0) throw unsound(file, 'it has no tensors');
  return tensors;
}

function parseHeader(file: FileBytes, length: number): Record<string, unknown> {
  try {
    const text = new TextDecoder().decode(file.read(lengthBytes, length));
    return z.record(z.string(), z.unknown()).parse(parsePlain(text));
  } catch {
    throw unsound(file, 'its header is not a JSON object');
  }
}

function readEntry(file: FileBytes, name: string, entry: unknown, dataStart: number): SafetensorsTensor {
  const parsed = tensorSchema.safeParse(entry);
  if (!parsed.success) throw unsound(file, `the entry of ${name} is malformed`);
  const { dtype, shape, data_offsets } = parsed.data;
  const [start, end] = data_offsets;
  const type = elementTypes.get(dtype);
  if (type === undefined) {
    const known = [...elementTypes.keys()].join(', ');
    throw new UnsupportedModelError(`${basename(file.path)} has ${name} in the type ${dtype}; supported are ${known}`);
  }
  if (end - start !== elementCount(shape) * type.bytes) {
    throw unsound(file, `the length of ${name} is not that of its shape`);
  }
  if (dataStart + end > file.size) throw unsound(file, `${name} ends beyond the end of the file: it was cut off`);
  return { dtype, type, shape, offset: dataStart + start };
}

function unsound({ path }: FileBytes, found: string): UnsoundFileError {
  return new UnsoundFileError(`${basename(path)} is not a valid safetensors file: ${found}`);
}
