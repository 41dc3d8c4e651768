import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encodeSafetensors, type WrittenTensor } from '../../models/safetensors/write.ts';
import type { Adapter } from '../adapter.ts';
import { configFile, tensorName, weightsFile } from './names.ts';
import type { PeftFiles } from './read.ts';

/**
 * Writes a folder that `peft` and vLLM can load. After a crash it is complete or absent. Blocks while writing.
 * @throws if the folder already exists
 */
export function writePeftFolder(folder: string, adapter: Adapter): void {
  if (existsSync(folder)) throw new Error(`${folder} already exists`);
  const { config, weights } = peftFiles(adapter);
  const unfinished = `${folder}.${randomUUID()}.unfinished`;
  mkdirSync(unfinished, { recursive: true });
  try {
    writeDurably(join(unfinished, configFile), config);
    writeDurably(join(unfinished, weightsFile), weights);
    syncFolder(unfinished);
    renameSync(unfinished, folder);
    syncFolder(dirname(folder));
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/** The files of such a folder, with weights in f32. */
export function peftFiles(adapter: Adapter): PeftFiles {
  return {
    config: `${JSON.stringify(peftConfig(adapter), null, 2)}\n`,
    weights: encodeSafetensors(tensorsOf(adapter)),
  };
}

function peftConfig({ rank, alpha, rslora, modules, baseModel }: Adapter) {
  return {
    base_model_name_or_path: baseModel,
    bias: 'none',
    fan_in_fan_out: false,
    inference_mode: true,
    init_lora_weights: true,
    lora_alpha: alpha,
    lora_dropout: 0,
    modules_to_save: null,
    peft_type: 'LORA',
    r: rank,
    target_modules: targetModules([...modules.keys()]),
    task_type: 'CAUSAL_LM',
    use_dora: false,
    use_rslora: rslora,
  };
}

/** Short names such as `q_proj` if all layers have the same modules, otherwise full names. */
function targetModules(names: string[]): string[] {
  const layersByKind = Map.groupBy(names, (name) => name.split('.').at(-1)!);
  const counts = new Set([...layersByKind.values()].map((each) => each.length));
  const layers = new Set(names.map((name) => /\.layers\.(\d+)\./.exec(name)?.[1]));
  const isUniform = counts.size === 1 && counts.has(layers.size) && layers.has(String(layers.size - 1));
  return isUniform ? [...layersByKind.keys()].sort() : names.toSorted();
}

function tensorsOf({ rank, modules }: Adapter): Map<string, WrittenTensor> {
  const tensors = new Map<string, WrittenTensor>();
  for (const name of [...modules.keys()].sort()) {
    const { a, b } = modules.get(name)!;
    tensors.set(tensorName(name, 'a'), { shape: [rank, a.length / rank], values: a });
    tensors.set(tensorName(name, 'b'), { shape: [b.length / rank, rank], values: b });
  }
  return tensors;
}

function writeDurably(path: string, content: string | Uint8Array): void {
  writeFileSync(path, content, { flush: true });
}

function syncFolder(folder: string): void {
  const opened = openSync(folder, 'r');
  fsyncSync(opened);
  closeSync(opened);
}
