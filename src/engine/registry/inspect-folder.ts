import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { unacceptable } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { inspectSafetensors, type SafetensorsContent } from './inspect-safetensors.ts';
import { readModelConfig } from './read-config.ts';
import { type ModelSummary, mostCommon } from './summary.ts';

/** Inspects a folder with safetensors files. @throws Failure with the reason if it cannot be served */
export async function inspectFolder(folder: string): Promise<ModelSummary> {
  const { packed, ...config } = readModelConfig(await required(folder, 'config.json', 'it says what the model is'));
  await checkTokenizer(folder);
  const { elementsByType } = await readWeights(folder);
  const parameters = [...elementsByType.values()].reduce((sum, each) => sum + each, 0);
  return { format: 'safetensors', ...config, ...(packed ?? { parameters, weightType: mostCommon(elementsByType) }) };
}

const tokenizer = z.object({ model: z.object({}).loose() });

async function checkTokenizer(folder: string): Promise<void> {
  const text = await required(
    folder,
    'tokenizer.json',
    'it converts text to tokens (tokenizer.model alone is not supported)',
  );
  try {
    tokenizer.parse(parsePlain(text));
  } catch {
    throw unacceptable('tokenizer.json is not a tokenizer: it is not a JSON object with a `model`.');
  }
}

/** Reads one file, or the parts that an index lists. */
async function readWeights(folder: string): Promise<SafetensorsContent> {
  const whole = join(folder, 'model.safetensors');
  if (existsSync(whole)) return inspectSafetensors(whole);
  const map = readIndex(await required(folder, 'model.safetensors.index.json', 'nor is there a model.safetensors'));
  const all: SafetensorsContent = { names: new Set(), elementsByType: new Map() };
  for (const part of new Set(Object.values(map))) {
    if (basename(part) !== part || !existsSync(join(folder, part))) {
      throw unacceptable(`The index lists ${part}, which is missing.`);
    }
    add(all, inspectSafetensors(join(folder, part)));
  }
  const missing = Object.keys(map).find((name) => !all.names.has(name));
  if (missing) throw unacceptable(`${map[missing]} does not contain ${missing}, although the index says so.`);
  return all;
}

function readIndex(text: string): Record<string, string> {
  try {
    return z.object({ weight_map: z.record(z.string(), z.string()) }).parse(parsePlain(text)).weight_map;
  } catch {
    throw unacceptable('model.safetensors.index.json is not a JSON object with a `weight_map`.');
  }
}

function add(all: SafetensorsContent, part: SafetensorsContent): void {
  for (const name of part.names) all.names.add(name);
  for (const [type, elements] of part.elementsByType) {
    all.elementsByType.set(type, (all.elementsByType.get(type) ?? 0) + elements);
  }
}

async function required(folder: string, name: string, why: string): Promise<string> {
  const path = join(folder, name);
  if (!existsSync(path)) throw unacceptable(`There is no ${name}: ${why}.`);
  return readFile(path, 'utf8');
}
