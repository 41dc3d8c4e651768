import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openFileBytes } from '../../models/file-bytes.ts';
import { readHuggingFaceConfig } from '../../models/safetensors/config.ts';
import { readSafetensorsHeader } from '../../models/safetensors/header.ts';
import { fixtures, readJson, temporaryFolder } from '../../testing/fixtures.ts';
import type { Adapter } from '../adapter.ts';
import { checkAdapter } from '../check-adapter.ts';
import { readPeftFiles, readPeftFolder } from './read.ts';
import { peftFiles, writePeftFolder } from './write.ts';

const served = join(fixtures, 'adapters/served');
const refused = join(fixtures, 'adapters/refused');
const llama = readHuggingFaceConfig(join(fixtures, 'models/llama'));

const read = (name: string) => readPeftFolder(join(served, name));

function folderForTest(): string {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  return folder;
}

/** Copies a fixture and changes its settings. */
function edited(name: string, changes: Record<string, unknown>): string {
  const folder = join(folderForTest(), name);
  cpSync(join(served, name), folder, { recursive: true });
  const path = join(folder, 'adapter_config.json');
  writeFileSync(path, JSON.stringify({ ...readJson<object>(path), ...changes }));
  return folder;
}

describe('reads what peft writes', () => {
  test.each(readdirSync(served))('%s', (name) => {
    const { base } = readJson<{ base: string }>(join(served, name, 'reference.json'));
    const adapter = read(name);
    expect(adapter.baseModel).toBe(base);
    checkAdapter(adapter, readHuggingFaceConfig(join(fixtures, 'models', base)));
  });

  test('rank, scale and every module', () => {
    const adapter = read('llama-all');
    expect(adapter).toMatchObject({ rank: 4, alpha: 8, rslora: false });
    expect(adapter.modules.size).toBe(14);
    const { a, b } = adapter.modules.get('model.layers.1.mlp.down_proj')!;
    expect([a.length, b.length]).toEqual([4 * 64, 32 * 4]);
    expect(read('llama-rslora')).toMatchObject({ rank: 8, alpha: 4, rslora: true });
    expect([...read('llama-layer').modules.keys()].every((name) => name.startsWith('model.layers.1.'))).toBe(true);
  });

  test('modules with different ranks and scales', () => {
    const { rank, modules } = read('llama-patterns');
    expect(rank).toBe(6);
    const rowsInUse = (name: string) => {
      const { a } = modules.get(name)!;
      return Array.from({ length: rank }, (_, i) =>
        a.subarray((i * a.length) / rank, ((i + 1) * a.length) / rank),
      ).filter((row) => row.some((value) => value !== 0)).length;
    };
    expect(rowsInUse('model.layers.0.self_attn.q_proj')).toBe(2);
    expect(rowsInUse('model.layers.1.self_attn.o_proj')).toBe(4);
    expect(rowsInUse('model.layers.0.mlp.down_proj')).toBe(4);
    expect(rowsInUse('model.layers.1.mlp.down_proj')).toBe(6);
  });
});

describe('writes what peft reads', () => {
  test('the same tensors under the same names', () => {
    const folder = join(folderForTest(), 'written');
    writePeftFolder(folder, read('llama-all'));
    expect(tensorsOf(folder)).toEqual(tensorsOf(join(served, 'llama-all')));
    expect(readJson(join(folder, 'adapter_config.json'))).toMatchObject({
      peft_type: 'LORA',
      task_type: 'CAUSAL_LM',
      base_model_name_or_path: 'llama',
      r: 4,
      lora_alpha: 8,
      use_rslora: false,
      target_modules: ['down_proj', 'gate_proj', 'k_proj', 'o_proj', 'q_proj', 'up_proj', 'v_proj'],
    });
  });

  test.each(readdirSync(served))('%s is the same adapter again', (name) => {
    const adapter = read(name);
    const folder = join(folderForTest(), 'written');
    writePeftFolder(folder, adapter);
    expect(readPeftFolder(folder)).toEqual(adapter);
    expect(readPeftFiles(peftFiles(adapter))).toEqual(adapter);
  });

  test('names the modules if the layers differ', () => {
    const { target_modules: names } = JSON.parse(peftFiles(read('llama-layer')).config);
    expect(names).toContain('model.layers.1.mlp.up_proj');
    expect(names).toHaveLength(7);
  });

  test('does not overwrite a folder, and leaves no temporary files', () => {
    const parent = folderForTest();
    const adapter = read('llama-mlp');
    writePeftFolder(join(parent, 'step-1'), adapter);
    expect(() => writePeftFolder(join(parent, 'step-1'), adapter)).toThrow('already exists');
    expect(readdirSync(parent)).toEqual(['step-1']);
  });
});

describe('rejects unsupported adapters', () => {
  const reasons: Record<string, string> = {
    bias: 'bias is "lora_only"; only "none" is supported',
    dora: 'use_dora is set, and heddle does not support DoRA',
    embedding: 'embed_tokens.base_layer.weight, which changes the embedding; only names like',
    'lora-bias': 'lora_bias is set, and heddle does not support biases of LoRA weights',
    pissa: 'init_lora_weights is "pissa", which changes the weights of the base model',
    tokens: 'trainable_token_indices is set, and heddle does not support trained tokens',
    'whole-module': 'modules_to_save is set, and heddle does not support whole modules',
  };

  test.each(readdirSync(refused))('saved by peft: %s', (name) => {
    const reading = () => readPeftFolder(join(refused, name));
    expect(reading).toThrow(expect.objectContaining({ kind: 'invalidInput' }));
    expect(reading).toThrow(reasons[name]);
  });

  test.each([
    [{ peft_type: 'IA3' }, 'peft_type is "IA3"; only "LORA" is supported'],
    [{ r: 0 }, 'adapter_config.json cannot be used: r:'],
    [{ r: 1_000_000 }, 'The rank of model.layers.0.mlp.down_proj is 1000000; at most 1024 is supported'],
    [{ r: undefined }, 'adapter_config.json cannot be used: r:'],
    [{ r: 5 }, 'is 4 × 64 and lora_B is 32 × 4; expected 5 × in and out × 5'],
    [{ rank_pattern: { '(a+)+b': 4 } }, 'rank_pattern contains the regular expression "(a+)+b"'],
    [{ lora_alpha: '8' }, 'lora_alpha'],
  ])('%j', (changes, reason) => {
    const reading = () => readPeftFolder(edited('llama-all', changes));
    expect(reading).toThrow(expect.objectContaining({ kind: 'invalidInput' }));
    expect(reading).toThrow(reason);
  });

  test('missing or damaged files', () => {
    const reading = (change: (folder: string) => void) => {
      const folder = edited('llama-all', {});
      change(folder);
      return () => readPeftFolder(folder);
    };
    const weights = (folder: string) => join(folder, 'adapter_model.safetensors');
    expect(reading((folder) => renameSync(weights(folder), join(folder, 'adapter_model.bin')))).toThrow(
      'has no adapter_model.safetensors but adapter_model.bin, whose format can run code',
    );
    expect(reading((folder) => renameSync(weights(folder), join(folder, 'other')))).toThrow(
      'has no adapter_model.safetensors.',
    );
    expect(
      reading((folder) => writeFileSync(weights(folder), readFileSync(weights(folder)).subarray(0, 5000))),
    ).toThrow(expect.objectContaining({ kind: 'invalidInput' }));
    expect(reading((folder) => writeFileSync(join(folder, 'adapter_config.json'), '{'))).toThrow('it is not JSON');
    expect(() => readPeftFolder(folderForTest())).toThrow('has no adapter_config.json');
  });
});

describe('rejects adapters that do not fit the model', () => {
  const changed = (change: (adapter: Adapter) => void) => () => {
    const adapter = read('llama-all');
    change(adapter);
    checkAdapter(adapter, llama);
  };

  test.each([
    ['an unknown module', 'model.layers.0.self_attn.qkv_proj', 'adapters can change q_proj, k_proj, v_proj'],
    ['a layer too many', 'model.layers.2.self_attn.q_proj', 'This model has 2 layers'],
    ['the head', 'lm_head', 'weights for lm_head'],
  ])('%s', (_, name, reason) => {
    const check = changed(({ modules }) => modules.set(name, modules.get('model.layers.0.self_attn.q_proj')!));
    expect(check).toThrow(expect.objectContaining({ kind: 'invalidInput' }));
    expect(check).toThrow(reason);
  });

  test('other sizes', () => {
    const config = { ...llama, feedForwardSize: 128 };
    expect(() => checkAdapter(read('llama-all'), config)).toThrow(
      'lora_A of model.layers.0.mlp.down_proj has 256 elements; with rank 4 this model expects 4 × 128.',
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 3e38, -1e16])('the weight %d', (value) => {
    const check = changed(({ modules }) => modules.get('model.layers.1.mlp.up_proj')!.b.fill(value));
    expect(check).toThrow(
      'lora_B of model.layers.1.mlp.up_proj contains values that are not numbers or above 1000000000000000.',
    );
  });

  test('an adapter without weights', () => {
    expect(changed(({ modules }) => modules.clear())).toThrow('The adapter has no weights.');
  });
});

function tensorsOf(folder: string): Map<string, { dtype: string; shape: number[]; bytes: Uint8Array }> {
  const file = openFileBytes(join(folder, 'adapter_model.safetensors'));
  const tensors = [...readSafetensorsHeader(file)].sort(([a], [b]) => (a < b ? -1 : 1));
  const read = tensors.map(([name, { dtype, shape, offset }]) => {
    const bytes = file.read(offset, 4 * shape.reduce((product, size) => product * size, 1));
    return [name, { dtype, shape, bytes }] as const;
  });
  file.close();
  return new Map(read);
}
