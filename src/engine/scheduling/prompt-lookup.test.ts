import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Engine } from '../engine.ts';
import { neutralSampling } from '../sampling/testing/neutral-sampling.ts';
import { fixtures, openForTests } from '../testing/fixtures.ts';
import { type Generated, generate, greedyRequest } from '../testing/generate.ts';
import type { GenerationRequest } from './generation-request.ts';
import { PromptLookup } from './prompt-lookup.ts';
import type { Sequence } from './sequence.ts';

const many = 100;
const sequenceOf = (prompt: number[], output: number[] = []) => ({ prompt, output }) as unknown as Sequence;

describe('guesses', () => {
  test('what followed the newest three tokens when they last occurred', () => {
    const lookup = new PromptLookup(8);
    expect(lookup.guess(sequenceOf([1, 2, 3, 9, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3]), many)).toEqual([
      4, 5, 6, 7,
    ]);
    expect(lookup.guess(sequenceOf([1, 2, 3, 4], [1, 2, 3]), many)).toEqual([4, 1, 2, 3]);
    expect(lookup.guess(sequenceOf([1, 2, 3, 4], [1, 2, 3]), 2)).toEqual([4, 1]);
    expect(lookup.guess(sequenceOf([5, 5], [5, 5]), many)).toEqual([5]);
  });

  test('nothing after new text, or if none are allowed', () => {
    expect(new PromptLookup(8).guess(sequenceOf([1, 2, 3, 4, 5], [2, 3]), many)).toEqual([]);
    expect(new PromptLookup(8).guess(sequenceOf([1], [2]), many)).toEqual([]);
    expect(new PromptLookup(0).guess(sequenceOf([1, 2, 3, 4], [1, 2, 3]), many)).toEqual([]);
  });

  test('more while they are right, and more rarely when they are wrong', () => {
    const lookup = new PromptLookup(16);
    const repeating = sequenceOf(
      Array.from({ length: 60 }, (_, i) => i % 30),
      [],
    );
    const next = () => lookup.guess(repeating, many).length;
    const lengths: number[] = [];
    for (let i = 0; i < 4; i++) {
      lengths.push(next());
      lookup.learn(lengths.at(-1)!, lengths.at(-1)!);
    }
    expect(lengths).toEqual([4, 8, 16, 16]);
    const pauses: number[] = [];
    for (let i = 0; i < 8; i++) {
      lookup.learn(4, 0);
      let pause = 0;
      while (next() === 0) pause++;
      pauses.push(pause);
    }
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 64, 64]);
    lookup.learn(4, 2);
    expect(next()).toBe(4);
  });
});

describe('a model that guesses', () => {
  const engines: Record<'guessing' | 'plain', Engine> = {} as never;
  beforeAll(async () => {
    const trials = { processesMax: 1, waitingMax: 1, fullMessage: () => '' };
    const limits = { runningMax: 4, waitingMax: 100, batchInvariant: false, adapters: { countMax: 1, rankMax: 8 } };
    for (const [name, guessMax] of [
      ['guessing', 16],
      ['plain', 0],
    ] as const) {
      const model = await openForTests(join(fixtures, 'models/llama'), { threads: 1 });
      engines[name] = new Engine(model, { ...limits, guessMax, trials });
    }
  });
  afterAll(() => Promise.all(Object.values(engines).map((engine) => engine.close())));

  /** A pattern that repeats, so that there is always something to guess. */
  const promptIds = Array.from({ length: 60 }, (_, i) => 3 + (((i % 12) * 7) % 40));

  function ask(name: 'guessing' | 'plain', more: Partial<GenerationRequest> = {}): Promise<Generated> {
    return generate(engines[name], { ...greedyRequest(promptIds, 120), ...more });
  }

  test.each([
    { name: 'greedy', temperature: 0, sampling: {} },
    { name: 'sampled', temperature: 0.7, sampling: {} },
    { name: 'penalized', temperature: 0.7, sampling: { repetitionPenalty: 1.1, presencePenalty: 0.2 } },
  ])('answers the same as one that does not: $name', async ({ name, temperature, sampling }) => {
    const parameters = { ...neutralSampling, ...sampling, temperature };
    const decoding = { kind: 'sampling', parameters, seeds: [7n], isSeedGiven: true, badWords: [] } as const;
    const more = { decoding, cacheSalt: name };
    const before = (await engines.guessing.load()).guesses.guessed;
    const [guessing, plain] = await Promise.all([ask('guessing', more), ask('plain', more)]);
    expect((await engines.guessing.load()).guesses.guessed).toBeGreaterThan(before);
    expect((await engines.plain.load()).guesses.guessed).toBe(0);
    expect(guessing.tokens).toEqual(plain.tokens);
    expect(guessing.tokens).toHaveLength(120);
    const far = guessing.logprobs.map((logprob, i) => Math.abs(logprob - plain.logprobs[i]!));
    expect(Math.max(...far)).toBeLessThan(1e-4);
  });

  test('keeps nothing that it guessed wrong for later requests', async () => {
    const first = await ask('guessing', { cacheSalt: 'kept' });
    const more = { promptIds: [...promptIds, ...first.tokens.slice(0, 80), 11, 5] };
    const continued = await ask('guessing', { ...more, cacheSalt: 'kept' });
    expect(continued.cachedTokens).toBe(140);
    const { tokens, logprobs } = await ask('plain', { ...more, cacheSalt: 'other' });
    expect(continued.tokens).toEqual(tokens);
    expect(Math.max(...continued.logprobs.map((logprob, i) => Math.abs(logprob - logprobs[i]!)))).toBeLessThan(1e-4);
  });

  test('ends at the same token where the limit is within a guess', async () => {
    for (const maxTokens of [1, 5, 6, 7, 8, 9, 10, 11, 30]) {
      const { rules } = greedyRequest(promptIds, maxTokens);
      const { tokens } = await ask('guessing', { rules });
      expect(tokens).toEqual((await ask('plain', { rules })).tokens);
      expect(tokens).toHaveLength(maxTokens);
    }
    const { guessed, right } = (await engines.guessing.load()).guesses;
    expect(right).toBeGreaterThan(0);
    expect(right).toBeLessThan(guessed);
  });
});
