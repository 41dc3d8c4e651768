import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { unprocessable } from '../../contract/errors.ts';

/** What a safetensors file says it holds: the names of its tensors, and elements by type. */
export type SafetensorsContent = { names: Set<string>; elementsByType: Map<string, number> };

const bytesOf: Record<string, number> = { F32: 4, F16: 2, BF16: 2 };
const headerBytesMax = 100_000_000; // the format's own limit

const tensor = z.object({
  dtype: z.string(),
  shape: z.array(z.int().nonnegative()),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});
const header = z.record(z.string(), z.unknown());

/** Reads and checks the header of a safetensors file. @throws ApiError that says what is wrong with it */
export async function readSafetensors(path: string): Promise<SafetensorsContent> {
  const name = basename(path);
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const length = size < 8 ? 0 : Number((await bytes(file, 0, 8)).readBigUInt64LE());
    if (length < 2 || length > headerBytesMax || length > size - 8) {
      throw damaged(name, `its header would be ${length} bytes long, and the file has ${size}`);
    }
    return contentOf(name, parse(name, await bytes(file, 8, length)), size - 8 - length);
  } finally {
    await file.close();
  }
}

async function bytes(file: Awaited<ReturnType<typeof open>>, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function parse(name: string, text: Buffer): Record<string, unknown> {
  try {
    return header.parse(JSON.parse(text.toString()));
  } catch {
    throw damaged(name, 'its header is no JSON object');
  }
}

function contentOf(name: string, entries: Record<string, unknown>, dataBytes: number): SafetensorsContent {
  const content: SafetensorsContent = { names: new Set(), elementsByType: new Map() };
  for (const [key, value] of Object.entries(entries)) {
    if (key === '__metadata__') continue;
    const parsed = tensor.safeParse(value);
    if (!parsed.success) throw damaged(name, `the entry of ${key} is malformed`);
    const { dtype, shape, data_offsets } = parsed.data;
    const elements = shape.reduce((product, each) => product * each, 1);
    if (!Object.hasOwn(bytesOf, dtype)) {
      throw unprocessable(`${name} holds ${key} as ${dtype}; weights are taken as ${Object.keys(bytesOf).join(', ')}.`);
    }
    const [start, end] = data_offsets;
    if (end - start !== elements * bytesOf[dtype]!)
      throw damaged(name, `the length of ${key} is not that of its shape`);
    if (end > dataBytes) throw damaged(name, `${key} ends beyond the end of the file: it was cut off`);
    content.names.add(key);
    content.elementsByType.set(dtype, (content.elementsByType.get(dtype) ?? 0) + elements);
  }
  if (content.names.size === 0) throw damaged(name, 'it holds no tensors');
  return content;
}

function damaged(name: string, found: string) {
  return unprocessable(`${name} is no sound safetensors file: ${found}.`);
}
