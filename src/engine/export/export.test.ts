import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Adapter } from '../adapters/adapter.ts';
import { readPeftFolder } from '../adapters/peft/read.ts';
import { type ModelConfig, UnsupportedModelError } from '../models/config.ts';
import { readGgufMetadata } from '../models/gguf/metadata.ts';
import type { TypedValues } from '../models/gguf/values.ts';
import { writeGguf } from '../models/gguf/write.ts';
import { ggufConfigValues } from '../models/gguf/write-config.ts';
import { openSource, readConfig } from '../models/open-source.ts';
import { writeSafetensors } from '../models/safetensors/write.ts';
import { huggingFaceConfig } from '../models/safetensors/write-config.ts';
import type { StreamedTensor } from '../models/streamed-tensor.ts';
import { fixtures, openForTests, readJson } from '../testing/fixtures.ts';
import { tensorsForGguf, tensorsForSafetensors, tensorsOfGguf } from './export-plan.ts';

type Reference = { tokens: number[]; logits: number[][] };

/** Logits are in the single digits. */
const tolerance = 5e-5;

const models = join(fixtures, 'models');
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'heddle-export-'));
});
afterAll(() => rmSync(root, { recursive: true }));

let made = 0;
const newPath = (name: string) => join(root, `${++made}-${name}`);
const written = (pieces: Iterable<number>) => [...pieces].reduce((sum, count) => sum + count, 0);

/** Writes the weights of a model to a folder with this configuration. */
async function toFolder(path: string, adapter: Adapter | null, config: object): Promise<string> {
  const folder = newPath('folder');
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const source = await openSource(path);
  written(writeSafetensors(join(folder, 'model.safetensors'), tensorsForSafetensors(source, adapter)));
  source.weights.close();
  return folder;
}

async function folderToGguf(path: string, adapter: Adapter | null): Promise<string> {
  const source = await openSource(path);
  const file = newPath('model.gguf');
  written(writeGguf(file, ggufConfigValues(source.config), tensorsForGguf(source, adapter)));
  source.weights.close();
  return file;
}

async function ggufToGguf(path: string, adapter: Adapter | null): Promise<string> {
  const source = await openSource(path);
  const file = newPath('model.gguf');
  const { typedMetadata } = await gguf(path, { allowLocalFile: true, typedMetadata: true });
  const { version: _version, tensor_count: _count, kv_count: _pairs, ...values } = typedMetadata;
  const tensors = tensorsOfGguf(path, await readGgufMetadata({ path }), source, adapter);
  written(writeGguf(file, values as TypedValues, tensors));
  source.weights.close();
  return file;
}

const configOf = (name: string) => readJson<object>(join(models, name, 'config.json'));

/** The largest difference between the logits of a model and the reference. */
async function distance(path: string, { tokens, logits }: Reference): Promise<number> {
  const model = await openForTests(path);
  try {
    const sequence = model.createSequence();
    const [result] = await model.step([{ sequence, tokens: Int32Array.from(tokens), wanted: 'all' }]);
    if (result!.kind !== 'logits') throw new Error('no logits');
    const found = result!.logits;
    expect(found.length).toBe(logits.length * logits[0]!.length);
    return logits.flat().reduce((most, value, i) => Math.max(most, Math.abs(value - found[i]!)), 0);
  } finally {
    await model.close();
  }
}

const plain = (name: string) => readJson<Reference>(join(models, name, 'reference.json'));

describe('a merged model has the same logits as peft', () => {
  const adapters = readdirSync(join(fixtures, 'adapters/served'));
  const open = (name: string) => {
    const folder = join(fixtures, 'adapters/served', name);
    const reference = readJson<Reference & { base: string }>(join(folder, 'reference.json'));
    return { reference, base: join(models, reference.base), adapter: readPeftFolder(folder) };
  };

  test.each(adapters)('as safetensors: %s', async (name) => {
    const { reference, base, adapter } = open(name);
    const merged = await toFolder(base, adapter, configOf(reference.base));
    expect(await distance(merged, reference)).toBeLessThan(tolerance);
  });

  test.each(adapters.filter((name) => name !== 'mistral-window'))('as a GGUF file: %s', async (name) => {
    const { reference, base, adapter } = open(name);
    expect(await distance(await folderToGguf(base, adapter), reference)).toBeLessThan(tolerance);
  });

  test.each(['llama-all', 'qwen2', 'qwen3'])('over a base that is a GGUF file: %s', async (name) => {
    const { reference, base, adapter } = open(name);
    const file = join(base, 'model.gguf');
    expect(await distance(await ggufToGguf(file, adapter), reference)).toBeLessThan(tolerance);
    const config = huggingFaceConfig(await readConfig(file), {});
    expect(await distance(await toFolder(file, adapter, config), reference)).toBeLessThan(tolerance);
  });
});

describe('without an adapter', () => {
  test.each(['llama', 'llama-biased', 'llama3-rope', 'linear-rope', 'mistral', 'qwen2', 'qwen3', 'gptq', 'awq'])(
    '%s keeps its logits as a GGUF file',
    async (name) => {
      expect(await distance(await folderToGguf(join(models, name), null), plain(name))).toBeLessThan(tolerance);
    },
  );

  test.each(['llama', 'llama3-rope', 'qwen2', 'qwen3'])(
    'the GGUF file of %s keeps its logits as a folder',
    async (name) => {
      const file = join(models, name, 'model.gguf');
      const config = huggingFaceConfig(await readConfig(file), {});
      expect(await distance(await toFolder(file, null, config), plain(name))).toBeLessThan(tolerance);
    },
  );

  test('copies weights byte for byte', async () => {
    const types = async (path: string) => {
      const { tensors } = await readGgufMetadata({ path });
      return new Set([...tensors.values()].map(({ type }) => type));
    };
    const file = await folderToGguf(join(models, 'mistral'), null);
    expect(await types(file)).toEqual(new Set([0, 1])); // f16, and vectors in f32
    const copied = join(models, 'qwen3/model.gguf');
    expect(readFileSync(await ggufToGguf(copied, null))).toEqual(readFileSync(copied));
  });
});

describe('rejects models that llama.cpp would compute differently', () => {
  test.each(['mistral-window', 'qwen2-window'])('%s', async (name) => {
    await expect(folderToGguf(join(models, name), null)).rejects.toThrow(/have a window of \d tokens/);
  });

  test('accepts a window as long as the context', async () => {
    const { config } = await openSource(join(models, 'mistral-window'));
    const wide = { ...config, contextMax: 9 };
    expect(ggufConfigValues(wide)['general.architecture']).toMatchObject({ value: 'llama' });
  });

  test('partially rotated heads', async () => {
    const config = await readConfig(join(models, 'llama'));
    const rotary = { ...config.rotary, inverseFrequencies: config.rotary.inverseFrequencies.slice(1) };
    expect(() => ggufConfigValues({ ...config, rotary })).toThrow(/partial_rotary_factor/);
  });

  test('biases of qwen3', async () => {
    const config = await readConfig(join(models, 'qwen3'));
    expect(() => ggufConfigValues({ ...config, qkvBias: true })).toThrow(UnsupportedModelError);
  });
});

test.each(['smollm3', 'olmo2', 'gemma2', 'gemma3', 'phi3', 'mixtral'])('rejects %s', async (name) => {
  const config = await readConfig(join(models, name));
  expect(() => ggufConfigValues(config)).toThrow(/cannot be written as GGUF files/);
  expect(() => huggingFaceConfig(config, {})).toThrow(/cannot be written as folders/);
});

describe('config.json', () => {
  const read = (name: string): Promise<ModelConfig> => readConfig(join(models, name, 'model.gguf'));

  test('has the scaling of Llama 3, which GGUF files store as divisors', async () => {
    expect(huggingFaceConfig(await read('llama3-rope'), { eos_token_id: 2 })).toMatchObject({
      architectures: ['LlamaForCausalLM'],
      eos_token_id: 2,
      rope_parameters: {
        rope_type: 'llama3',
        factor: 4,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 32,
      },
    });
  });

  test('is rejected for unknown divisors and unusual biases', async () => {
    const config = await read('llama');
    const scaling = { type: 'divided' as const, divisors: [1, 3, 2, 5], before: { type: 'default' as const } };
    expect(() => huggingFaceConfig({ ...config, rotary: { ...config.rotary, scaling } }, {})).toThrow(/rope_freqs/);
    expect(() => huggingFaceConfig({ ...config, attentionOutBias: true }, {})).toThrow(/biases or norms/);
  });
});

test('writes a tensor larger than a chunk in several chunks', async () => {
  const values = Float32Array.from({ length: 2 ** 23 }, (_, i) => i);
  const tensor: StreamedTensor = {
    name: 'model.embed_tokens.weight',
    shape: [2 ** 13, 2 ** 10],
    type: { name: 'F32', blockElements: 1, blockBytes: 4 },
    rowsTogether: 1,
    readRows: (first, count) => new Uint8Array(values.buffer, first * 4096, count * 4096),
  };
  const folder = newPath('large');
  mkdirSync(folder);
  const pieces = [...writeSafetensors(join(folder, 'model.safetensors'), [tensor])];
  expect(pieces).toEqual([2 ** 24, 2 ** 24]);
  cpSync(join(models, 'llama/config.json'), join(folder, 'config.json'));
  const { weights } = await openSource(folder);
  expect(weights.readRows(tensor.name, 2 ** 13 - 1, 1)).toEqual(values.slice(-1024));
  weights.close();
});
