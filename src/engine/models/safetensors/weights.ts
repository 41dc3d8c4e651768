import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parsePlain } from '../../../util/json/parse.ts';
import { type FileBytes, openFileBytes } from '../file-bytes.ts';
import { rowBytes, type WeightSource } from '../weight-source.ts';
import { readSafetensorsHeader, type SafetensorsTensor } from './header.ts';

const indexSchema = z.object({ weight_map: z.record(z.string(), z.string()) });

/** Opens the weights of a Hugging Face folder: one file, or several files with an index. */
export function openSafetensors(folder: string): WeightSource {
  const files = weightFiles(folder).map((name) => openFileBytes(join(folder, name)));
  const tensors = new Map<string, SafetensorsTensor & { file: FileBytes }>();
  for (const file of files) {
    for (const [name, tensor] of readSafetensorsHeader(file)) tensors.set(name, { ...tensor, file });
  }
  const find = (name: string) => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new Error(`${folder} has no weights named ${name}`);
    return tensor;
  };
  const stored = (name: string) => {
    const { dtype, type } = find(name);
    return { name: dtype, blockElements: 1, blockBytes: type.bytes };
  };
  const readStored = (name: string, first: number, count: number) => {
    const { file, shape, offset } = find(name);
    const bytes = rowBytes(shape, stored(name));
    return file.read(offset + first * bytes, count * bytes);
  };
  return {
    has: (name) => tensors.has(name),
    shape: (name) => find(name).shape,
    readRows: (name, first, count) => find(name).type.decode(readStored(name, first, count)),
    stored,
    readStored,
    groups: () => null,
    readGroups(name) {
      throw new Error(`${name} is not quantised`);
    },
    close() {
      for (const file of files) file.close();
    },
  };
}

function weightFiles(folder: string): string[] {
  if (existsSync(join(folder, 'model.safetensors'))) return ['model.safetensors'];
  const index = join(folder, 'model.safetensors.index.json');
  if (existsSync(index)) {
    const { weight_map } = indexSchema.parse(parsePlain(readFileSync(index, 'utf8')));
    return [...new Set(Object.values(weight_map))];
  }
  const found = readdirSync(folder).join(', ');
  throw new Error(`${folder} has neither model.safetensors nor model.safetensors.index.json, but ${found}`);
}
