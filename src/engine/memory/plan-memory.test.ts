import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readHuggingFaceConfig } from '../models/safetensors/config.ts';
import { fixtures } from '../testing/fixtures.ts';
import { type MeasuredModel, ModelTooLargeError, planMemory } from './plan-memory.ts';
import { weightMemory } from './weight-memory.ts';

/** 80 layers of 8192 dimensions, like models of 70 billion parameters. */
const tiny = readHuggingFaceConfig(join(fixtures, 'models/llama'));
const large = {
  ...tiny,
  vocabSize: 128_256,
  hiddenSize: 8192,
  feedForwardSize: 28_672,
  heads: 64,
  kvHeads: 8,
  headDim: 128,
  contextMax: 131_072,
  tiedEmbeddings: false,
  layers: Array.from({ length: 80 }, () => ({ window: null, rotary: 'global' as const, hasExperts: false })),
};
const gigabyte = 1024 ** 3;
const unquantised = { groups: () => null };
const [small, huge] = [tiny, large].map((config) => ({ config, weightMemory: weightMemory(config, unquantised) })) as [
  MeasuredModel,
  MeasuredModel,
];

test('rejects a model that is too large and reports the sizes', () => {
  const refuse = () => planMemory(huge, 16 * gigabyte, {});
  expect(refuse).toThrow(ModelTooLargeError);
  expect(refuse).toThrow(
    'The model does not fit into memory: it needs 259 GB for its weights in f32, 1.3 GB for the cache of one sequence of 2048 tokens, 300 MB for computed values, 260 GB in total, and 16 GB are free.',
  );
});

test('the context is as long as half of the free memory allows, or as long as requested', () => {
  expect(planMemory(small, gigabyte, {}).contextMax).toBe(256);
  const tokenBytes = 2 * 80 * 8 * 128 * 4;
  const plan = planMemory(huge, 300 * gigabyte, {});
  expect(plan.contextMax).toBeLessThan(131_072);
  expect(plan.contextMax * tokenBytes).toBeLessThanOrEqual(plan.cacheBytesMax);
  expect(planMemory(huge, 300 * gigabyte, { contextMax: 4096 }).contextMax).toBe(4096);
  expect(() => planMemory(huge, 300 * gigabyte, { contextMax: 131_072 })).toThrow('131072 tokens');
});

test('rejects a cache limit that is too small for one sequence', () => {
  const plan = () => planMemory(small, gigabyte, { cacheBytesMax: 1000 });
  expect(plan).toThrow('The cache of one sequence of 256 tokens needs 64 KB, more than the 1000 B set for all caches.');
});

test.each([
  { bits: 4, copies: 1 },
  { bits: 8, copies: 2 },
] as const)(
  'weights of $bits bits take their codes and scales in $copies packed copies, and their minima',
  ({ bits, copies }) => {
    const format = { bits, groupSize: 32, hasMinima: true };
    const { bytes, areQuantised } = weightMemory(large, {
      groups: (name) => (/_proj/.test(name) ? format : null),
    });
    const headBytes = 4 * large.vocabSize * large.hiddenSize;
    const inLayers = weightMemory(large, unquantised).bytes - headBytes;
    expect(areQuantised).toBe(true);
    expect((bytes - headBytes) / inLayers).toBeCloseTo((copies * (bits / 8 + 1 / 8) + 1 / 8) / 4, 3);
  },
);
