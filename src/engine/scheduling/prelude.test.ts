import { afterAll, expect, test } from 'vitest';
import { pool, requester } from '../../util/workers/testing/isolation.ts';
import { Grammars } from '../grammars/grammars.ts';
import type { Sink } from './generation.ts';
import type { GenerationRequest, Prelude } from './generation-request.ts';
import { SampledGeneration } from './sampled-generation.ts';

const grammars = new Grammars(pool);
afterAll(() => grammars.close());

/** `<` opens the free part and `>` closes it; the constraint is `ab`. */
const tokens = ['a', 'b', 'x', '<', '>', '.'];
const [a, b, x, opening, closing, end] = [0, 1, 2, 3, 4, 5];
const vocabulary = { key: 'prelude', tokens, coding: 'byte_fallback' as const, stopTokenIds: [end] };
const constraint = { kind: 'ebnf' as const, grammar: 'root ::= "ab"' };

/** The output of a model that prefers these tokens, one after another, and then the end. */
async function outputOf(prelude: Prelude | null, wanted: readonly number[]): Promise<string> {
  await grammars.check(vocabulary, constraint, { ...requester, field: 'x' });
  const written: number[] = [];
  const sink: Sink = {
    promptDone() {},
    token: (_, { id }) => {
      written.push(id);
      return false;
    },
    isInPrelude: () => !written.includes(closing),
    lateLogprobs() {},
    lateCachedTokens() {},
    sequenceEnded() {},
    end() {},
  };
  const request = {
    promptIds: [x],
    rules: { eosId: end, ignoreEos: false, stopTokenIds: new Set(), minTokens: 0, maxTokens: 20, contextLength: 30 },
    topLogprobs: null,
    promptLogprobs: null,
    constraint: { constraint, field: 'x', vocabulary, prelude },
    adapter: null,
    priority: 0,
    tenant: ['user', 'project'],
    cacheSalt: '',
    beginning: () => '',
  } as unknown as GenerationRequest;
  const neutral = { topP: 1, topK: 0, minP: 0, frequencyPenalty: 0, presencePenalty: 0, repetitionPenalty: 1 };
  const parameters = { temperature: 0, ...neutral, logitBias: [], allowedTokenIds: null, badWords: [], minTokens: 0 };
  const chosen = { seeds: [1n], isSeedGiven: true, badWords: [] };
  const decoding = { kind: 'sampling' as const, parameters: { ...parameters, endTokenIds: [end] }, ...chosen };
  const generation = new SampledGeneration({ ...request, decoding }, decoding, {
    vocabSize: tokens.length,
    guessMax: 0,
    grammars: [await grammars.open(vocabulary, constraint)],
    sink,
    release() {},
  });
  for (let step = 0; !generation.isDone; step++) {
    const logits = Float32Array.from(tokens, (_, id) => (id === (wanted[step] ?? end) ? 9 : -id));
    await generation.take(generation.sequences[0]!, { kind: 'logits', logits }, { tokens: 1, isLast: true, guess: [] });
  }
  return written.map((id) => tokens[id]).join('');
}

test('without a prelude the constraint begins with the first token', async () => {
  expect(await outputOf(null, [opening, x])).toBe('ab.');
});

test('an open prelude allows all tokens except the end, and the constraint begins after it', async () => {
  expect(await outputOf({ isOpen: true, openingId: null }, [x, end, b, closing, x])).toBe('xab>ab.');
});

test('the first token may open a prelude or start the constrained output', async () => {
  const prelude = { isOpen: false, openingId: opening };
  expect(await outputOf(prelude, [opening, x, closing, x])).toBe('<x>ab.');
  expect(await outputOf(prelude, [a, opening])).toBe('ab.');
  expect(await outputOf(prelude, [x])).toBe('ab.');
});
