import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, invalidInput } from '../../../util/failures.ts';
import { UnsoundFileError, UnsupportedModelError } from '../../models/config.ts';
import { bytesAsFile, type FileBytes, openFileBytes } from '../../models/file-bytes.ts';
import { readSafetensorsHeader, type SafetensorsTensor } from '../../models/safetensors/header.ts';
import { elementCount } from '../../models/weight-source.ts';
import { type Adapter, type AdapterModule, adapterScale } from '../adapter.ts';
import { checkModules } from '../check-adapter.ts';
import type { LayerSize } from '../linear-layers.ts';
import { type PeftConfig, parsePeftConfig } from './config.ts';
import { configFile, partOfTensor, weightsFile } from './names.ts';

/** An adapter of a higher rank has about as many weights as its model. */
const rankMax = 1024;

/** The files of a PEFT folder. */
export type PeftFiles = { config: string; weights: Uint8Array };

/** Reads a folder written by `peft`. Blocks while reading. @throws Failure */
export function readPeftFolder(folder: string): Adapter {
  return withFiles(folder, readAdapter);
}

/** Properties of an adapter that are known without reading its weights. */
export type AdapterSummary = { rank: number; parameters: number; baseModel: string | null; weightType: string };

/**
 * Checks a folder for a model, without reading the weights. @throws Failure, also if it does not fit the layers of the model
 * @param layers null if they are not known
 */
export function inspectPeftFolder(folder: string, layers: ReadonlyMap<string, LayerSize> | null): AdapterSummary {
  return withFiles(folder, (config, file) => {
    const { rank, pairs } = loraPairs(config, file);
    const tensors = [...pairs.values()].flatMap(({ a, b }) => [a, b]);
    const lengths = new Map(
      [...pairs].map(([name, { rank: own, a, b }]) => [
        name,
        { a: (elementCount(a.shape) / own) * rank, b: (elementCount(b.shape) / own) * rank },
      ]),
    );
    if (layers !== null) checkModules(lengths, rank, layers);
    return {
      rank,
      parameters: tensors.reduce((sum, { shape }) => sum + elementCount(shape), 0),
      baseModel: config.baseModel,
      weightType: tensors[0]!.dtype,
    };
  });
}

/** Checks a folder without reading the weights and without a model. @throws Failure */
export function checkPeftFolder(folder: string): void {
  withFiles(folder, loraPairs);
}

/** The same from files in memory. @throws Failure */
export function readPeftFiles({ config, weights }: PeftFiles): Adapter {
  return readAdapter(parsePeftConfig(config), bytesAsFile(weightsFile, weights));
}

function withFiles<Result>(folder: string, use: (config: PeftConfig, weights: FileBytes) => Result): Result {
  const config = readPeftConfig(folder);
  checkWeightsFile(folder);
  const file = openFileBytes(join(folder, weightsFile));
  try {
    return use(config, file);
  } finally {
    file.close();
  }
}

/** The base model that `adapter_config.json` names. @throws Failure */
export function baseModelOf(configPath: string): string | null {
  return parsePeftConfig(readFileSync(configPath, 'utf8')).baseModel;
}

function readPeftConfig(folder: string): PeftConfig {
  const path = join(folder, configFile);
  if (!existsSync(path)) throw invalidInput(`The folder of the adapter has no ${configFile}.`);
  return parsePeftConfig(readFileSync(path, 'utf8'));
}

function checkWeightsFile(folder: string): void {
  if (existsSync(join(folder, weightsFile))) return;
  const pickled = existsSync(join(folder, 'adapter_model.bin'));
  const instead = pickled ? ' but adapter_model.bin, whose format can run code. Save it with safetensors' : '';
  throw invalidInput(`The folder of the adapter has no ${weightsFile}${instead}.`);
}

function readAdapter(config: PeftConfig, file: FileBytes): Adapter {
  const { alpha, rslora, baseModel } = config;
  const { rank, pairs } = loraPairs(config, file);
  const modules = new Map<string, AdapterModule>();
  for (const [name, { rank: ownRank, a, b }] of pairs) {
    const scale = adapterScale({ rank: ownRank, alpha: config.alphaOf(name), rslora });
    const own = { a: readTensor(file, a), b: readTensor(file, b) };
    modules.set(name, atRank(own, ownRank, rank, scale / adapterScale({ rank, alpha, rslora })));
  }
  return { rank, alpha, rslora, modules, baseModel };
}

type LoraPair = { rank: number; a: SafetensorsTensor; b: SafetensorsTensor };

/** The weights of each module, and the highest rank. */
function loraPairs(config: PeftConfig, file: FileBytes): { rank: number; pairs: Map<string, LoraPair> } {
  const pairs = new Map<string, LoraPair>();
  for (const [name, { a, b }] of pairsOf(tensorsOf(file))) {
    if (a === undefined || b === undefined) {
      throw invalidInput(`${name} has only ${a === undefined ? 'lora_B' : 'lora_A'} in ${weightsFile}.`);
    }
    const rank = config.rankOf(name);
    checkRank(name, rank, a, b);
    pairs.set(name, { rank, a, b });
  }
  return { rank: Math.max(...[...pairs.values()].map(({ rank }) => rank)), pairs };
}

function tensorsOf(file: FileBytes): Map<string, SafetensorsTensor> {
  try {
    return readSafetensorsHeader(file);
  } catch (error) {
    const isRefusal = error instanceof UnsoundFileError || error instanceof UnsupportedModelError;
    throw isRefusal ? new Failure('invalidInput', `${error.message}.`, {}, { cause: error }) : error;
  }
}

type Pair = { a?: SafetensorsTensor; b?: SafetensorsTensor };

function pairsOf(tensors: Map<string, SafetensorsTensor>): Map<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const [key, tensor] of tensors) {
    const { module, part } = partOfTensor(key);
    pairs.set(module, { ...pairs.get(module), [part]: tensor });
  }
  return pairs;
}

function checkRank(name: string, rank: number, a: SafetensorsTensor, b: SafetensorsTensor): void {
  if (rank > rankMax) throw invalidInput(`The rank of ${name} is ${rank}; at most ${rankMax} is supported.`);
  const fits = a.shape.length === 2 && b.shape.length === 2 && a.shape[0] === rank && b.shape[1] === rank;
  if (fits) return;
  throw invalidInput(
    `lora_A of ${name} is ${a.shape.join(' × ')} and lora_B is ${b.shape.join(' × ')}; expected ${rank} × in and out × ${rank}.`,
  );
}

function readTensor(file: FileBytes, { type, shape, offset }: SafetensorsTensor): Float32Array {
  return type.decode(file.read(offset, elementCount(shape) * type.bytes));
}

/** The same module at a higher rank: padded with zeros, with `b` adjusted to the new scale. */
function atRank(module: AdapterModule, own: number, rank: number, scale: number): AdapterModule {
  if (own === rank && scale === 1) return module;
  const a = new Float32Array((module.a.length / own) * rank);
  a.set(module.a);
  const rows = module.b.length / own;
  const b = new Float32Array(rows * rank);
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < own; i++) b[row * rank + i] = scale * module.b[row * own + i]!;
  }
  return { a, b };
}
