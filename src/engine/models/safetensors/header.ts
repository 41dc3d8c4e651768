import { z } from 'zod';
import type { FileBytes } from '../file-bytes.ts';

export type SafetensorsTensor = { dtype: string; shape: number[]; offset: number; length: number };

const headerBytesMax = 100_000_000;

const tensorSchema = z.object({
  dtype: z.string(),
  shape: z.array(z.int().nonnegative()),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});

/** Reads which tensors a safetensors file holds, and where. */
export function readSafetensorsHeader(file: FileBytes): Map<string, SafetensorsTensor> {
  const length = Number(new DataView(file.read(0, 8).buffer).getBigUint64(0, true));
  if (length > headerBytesMax) throw new Error(`${file.path} is not a safetensors file: its header would be too long`);
  const { __metadata__: _, ...entries } = parseHeader(file, length);
  const tensors = new Map<string, SafetensorsTensor>();
  for (const [name, entry] of Object.entries(entries)) {
    const { dtype, shape, data_offsets } = tensorSchema.parse(entry);
    tensors.set(name, {
      dtype,
      shape,
      offset: 8 + length + data_offsets[0],
      length: data_offsets[1] - data_offsets[0],
    });
  }
  return tensors;
}

function parseHeader(file: FileBytes, length: number): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(new TextDecoder().decode(file.read(8, length))));
  } catch (cause) {
    throw new Error(`${file.path} is not a safetensors file: its header is not JSON`, { cause });
  }
}
