import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../testing/fixtures.ts';
import type { ModelConfig } from '../config.ts';
import { readHuggingFaceConfig } from './config.ts';

const least = {
  model_type: 'llama',
  vocab_size: 100,
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 4,
  num_attention_heads: 8,
  max_position_embeddings: 4096,
};

test('uses the defaults of transformers for missing values', () => {
  const config = read({});
  expect(config).toMatchObject({ kvHeads: 8, headDim: 8, normEpsilon: 1e-6, tiedEmbeddings: false, qkvBias: false });
  expect(config.rotary.inverseFrequencies[1]).toBeCloseTo(0.1, 10);
  expect(read({ model_type: 'qwen2' })).toMatchObject({ qkvBias: true, attentionOutBias: false });
  expect(read({ model_type: 'qwen3' })).toMatchObject({ headDim: 128, queryKeyNorm: 'heads' });
});

test('reads rotary embeddings in the old and the new form', () => {
  const scaling = { factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 64 };
  const older = read({ rope_theta: 500, rope_scaling: { rope_type: 'llama3', ...scaling } });
  const newer = read({ rope_parameters: { rope_type: 'llama3', rope_theta: 500, ...scaling } });
  expect(older.rotary).toEqual(newer.rotary);
  expect(read({ rope_scaling: { type: 'linear', factor: 4 } }).rotary.inverseFrequencies[0]).toBe(0.25);
  expect(() => read({ rope_scaling: { type: 'dynamic', factor: 4 } })).toThrow('rope scaling dynamic is not supported');
});

test('applies a window to sliding layers only', () => {
  expect(windows({ model_type: 'mistral' })).toEqual([4096, 4096, 4096, 4096]);
  expect(windows({ model_type: 'mistral', sliding_window: null })).toEqual([null, null, null, null]);
  expect(windows({ model_type: 'qwen2', sliding_window: 32 })).toEqual([null, null, null, null]);
  const sliding = { model_type: 'qwen2', use_sliding_window: true, sliding_window: 32, max_window_layers: 3 };
  expect(windows(sliding)).toEqual([null, null, null, 32]);
  const types = ['sliding_attention', 'full_attention', 'full_attention', 'sliding_attention'];
  expect(windows({ ...sliding, layer_types: types })).toEqual([32, null, null, 32]);
});

test('names unsupported features', () => {
  expect(() => read({ quantization_config: { quant_method: 'fp8' } })).toThrow('quantised by fp8');
  expect(() => read({ hidden_act: 'gelu' })).toThrow('the activation gelu');
  expect(() => read({ num_key_value_heads: 3 })).toThrow('8 heads cannot share 3');
  expect(() => read({ hidden_size: 'many' })).toThrow('does not describe a language model');
});

function windows(changes: object): (number | null)[] {
  return read(changes).layers.map(({ window }) => window);
}

function read(changes: object): ModelConfig {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...least, ...changes }));
  return readHuggingFaceConfig(folder);
}
