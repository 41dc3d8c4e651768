import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AdapterId } from '../adapter-id.ts';
import type { Adapter } from '../adapters/adapter.ts';
import { checkAdapter } from '../adapters/check-adapter.ts';
import { adapterLayout } from '../adapters/layout.ts';
import { packAdapter } from '../adapters/pack.ts';
import { readPeftFolder } from '../adapters/peft/read.ts';
import { fixtures, openForTests, readJson } from '../testing/fixtures.ts';
import type { LoadedModel, StepResult } from './types.ts';

type Reference = { base: string; tokens: number[]; logits: number[][]; alone?: Record<string, number[][]> };

/** Logits are in the single digits. */
const tolerance = 5e-5;

const served = join(fixtures, 'adapters/served');
const referenceOf = (name: string) => readJson<Reference>(join(served, name, 'reference.json'));
const read = (name: string) => readPeftFolder(join(served, name));

let added = 0;

async function add(model: LoadedModel, adapter: Adapter): Promise<AdapterId> {
  const id = `adapter ${++added}` as AdapterId;
  checkAdapter(adapter, model.config);
  await model.addAdapter(id, packAdapter(adapter, adapterLayout(model.config)));
  return id;
}

describe.each(readdirSync(served))('%s has the logits of transformers and peft', (name) => {
  const reference = referenceOf(name);
  let model: LoadedModel;
  let adapterId: AdapterId;
  beforeAll(async () => {
    model = await openForTests(join(fixtures, 'models', reference.base));
    adapterId = await add(model, read(name));
  });
  afterAll(() => model.close());

  test('in one prefill', async () => {
    const tokens = Int32Array.from(reference.tokens);
    const [result] = await model.step([{ sequence: model.createSequence(adapterId), tokens, wanted: 'all' }]);
    expect(distance(logitsOf(result!), reference.logits)).toBeLessThan(tolerance);
  });

  test('token by token', async () => {
    const sequence = model.createSequence(adapterId);
    const logits: number[] = [];
    for (const token of reference.tokens) {
      const [result] = await model.step([{ sequence, tokens: Int32Array.of(token), wanted: 'last' }]);
      logits.push(...logitsOf(result!));
    }
    expect(distance(logits, reference.logits)).toBeLessThan(tolerance);
  });
});

describe('on one base model', () => {
  let model: LoadedModel;
  beforeAll(async () => {
    model = await openForTests(join(fixtures, 'models/llama'));
  });
  afterAll(() => model.close());

  const kinds = Object.entries(referenceOf('llama-all').alone!);
  test.each(kinds)('an adapter of %s alone has the logits of transformers and peft', async (kind, expected) => {
    const adapter = read('llama-all');
    for (const name of adapter.modules.keys()) if (!name.endsWith(kind)) adapter.modules.delete(name);
    const sequence = model.createSequence(await add(model, adapter));
    const tokens = Int32Array.from(referenceOf('llama-all').tokens);
    const [result] = await model.step([{ sequence, tokens, wanted: 'all' }]);
    expect(distance(logitsOf(result!).slice(-expected.flat().length), expected)).toBeLessThan(tolerance);
  });

  test('decodes sequences with different adapters and without one in one batch', async () => {
    const names = ['llama-all', 'llama-rslora', null, 'llama-mlp', 'llama-patterns', 'llama-all', null, 'llama-layer'];
    const ids = new Map<string | null, AdapterId | null>([[null, null]]);
    for (const name of names) if (!ids.has(name)) ids.set(name, await add(model, read(name!)));
    await expectLogits(model, names, ids);
    await expectLogits(model, ['llama-patterns', null, 'llama-mlp'], ids);
    await expectLogits(model, ['llama-layer', 'llama-all'], ids);
    await expectLogits(model, ['llama-layer', 'llama-layer'], ids);
    await expectLogits(model, [null, null], ids);
    await expectLogits(model, ['llama-rslora', 'llama-layer', 'llama-mlp', 'llama-patterns', 'llama-all'], ids);
  });

  test('adds and removes adapters between the steps of a sequence [training 65]', async () => {
    const [own, other] = [await add(model, read('llama-all')), await add(model, read('llama-mlp'))];
    const ids = new Map([
      ['llama-all', own],
      ['llama-mlp', other],
    ]);
    await expectLogits(model, ['llama-all', 'llama-mlp'], ids, async (step) => {
      const passing = await add(model, read('llama-rslora'));
      if (step % 2 === 0) await model.removeAdapter(passing);
    });
  });

  test('an adapter with huge weights does not affect others in its batch', async () => {
    const huge = read('llama-all');
    for (const { a, b } of huge.modules.values()) for (const values of [a, b]) values.fill(1e14);
    const ids = new Map<string | null, AdapterId | null>([
      [null, null],
      ['llama-mlp', await add(model, read('llama-mlp'))],
    ]);
    const wild = model.createSequence(await add(model, huge));
    const others = await begin(model, [null, 'llama-mlp'], ids);
    await model.step([{ sequence: wild, tokens: Int32Array.of(1, 2), wanted: 'none' }]);
    const requests = [wild, ...others.map(({ sequence }) => sequence)].map((sequence) => ({
      sequence,
      tokens: Int32Array.of(expectedOf(null).tokens[2]!),
      wanted: 'last' as const,
    }));
    const [, ...results] = await model.step(requests);
    for (const [i, { name }] of others.entries()) {
      expect(distance(logitsOf(results[i]!), [expectedOf(name).logits[2]!])).toBeLessThan(tolerance);
    }
  });
});

/** The reference for an adapter of `served`, or for the base model. All use the same tokens. */
function expectedOf(name: string | null): Reference {
  if (name !== null) return referenceOf(name);
  const { tokens } = referenceOf('llama-all');
  return { base: 'llama', tokens, logits: plain };
}

async function begin(model: LoadedModel, names: (string | null)[], ids: ReadonlyMap<string | null, AdapterId | null>) {
  const sequences = names.map((name) => ({ name, sequence: model.createSequence(ids.get(name)!) }));
  for (const { sequence } of sequences) {
    const tokens = Int32Array.from(expectedOf(null).tokens.slice(0, 2));
    await model.step([{ sequence, tokens, wanted: 'none' }]);
  }
  return sequences;
}

async function expectLogits(
  model: LoadedModel,
  names: (string | null)[],
  ids: ReadonlyMap<string | null, AdapterId | null>,
  between: (step: number) => Promise<void> = async () => {},
): Promise<void> {
  const sequences = await begin(model, names, ids);
  for (let at = 2; at < 8; at++) {
    const tokens = Int32Array.of(expectedOf(null).tokens[at]!);
    const results = await model.step(sequences.map(({ sequence }) => ({ sequence, tokens, wanted: 'last' })));
    for (const [i, { name }] of sequences.entries()) {
      expect(distance(logitsOf(results[i]!), [expectedOf(name).logits[at]!]), `${name}`).toBeLessThan(tolerance);
    }
    await between(at);
  }
  for (const { sequence } of sequences) model.release(sequence);
}

let plain: number[][];
beforeAll(async () => {
  const model = await openForTests(join(fixtures, 'models/llama'));
  const tokens = Int32Array.from(referenceOf('llama-all').tokens);
  const [result] = await model.step([{ sequence: model.createSequence(), tokens, wanted: 'all' }]);
  const logits = logitsOf(result!);
  plain = Array.from(tokens, (_, i) => [...logits.slice(i * model.vocabSize, (i + 1) * model.vocabSize)]);
  await model.close();
});

function logitsOf(result: StepResult): Float32Array {
  if (result.kind !== 'logits') throw new Error(`expected logits, got ${result.kind}`);
  return result.logits;
}

function distance(found: ArrayLike<number>, expected: number[][]): number {
  const flat = expected.flat();
  expect(found.length).toBe(flat.length);
  return flat.reduce((most, value, i) => Math.max(most, Math.abs(value - found[i]!)), 0);
}
