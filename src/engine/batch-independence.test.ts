import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AdapterId } from './adapter-id.ts';
import type { AdapterFiles } from './adapters/adapter-files.ts';
import { Engine } from './engine.ts';
import type { GenerationRequest } from './scheduling/generation-request.ts';
import { fixtures, openForTests } from './testing/fixtures.ts';
import { type Generated, generate, greedyRequest } from './testing/generate.ts';

const adapter = (name: string): AdapterFiles => ({
  id: name as AdapterId,
  name,
  folder: join(fixtures, 'adapters/served', name),
});
const [one, other] = [adapter('llama-all'), adapter('llama-rslora')];
const prompt = (length: number, seed = 1) =>
  Array.from({ length }, (_, i) => 3 + ((i * i * 7 + 3 * i * seed + seed) % 45));
const own = prompt(75);

describe.each([
  { name: 'within 1e-4', folder: 'llama', batchInvariant: false },
  { name: 'within 1e-4, with quantised weights', folder: 'gptq', batchInvariant: false },
  { name: 'to the bit, if batch-invariant', folder: 'llama', batchInvariant: true },
])('$name', ({ folder, batchInvariant }) => {
  let engine: Engine;
  let salts = 0;
  beforeAll(async () => {
    const model = await openForTests(join(fixtures, 'models', folder), { threads: 2, batchInvariant });
    const trials = { processesMax: 1, waitingMax: 1, fullMessage: () => '' };
    const adapters = { countMax: 2, rankMax: 8 };
    engine = new Engine(model, { runningMax: 12, waitingMax: 100, batchInvariant, guessMax: 8, adapters, trials });
  });
  afterAll(() => engine.close());

  function ask(more: Partial<GenerationRequest> = {}): Promise<Generated> {
    return generate(engine, { ...greedyRequest(own, 24), cacheSalt: `own ${salts++}`, ...more });
  }

  /** Requests with prompts and answers of several lengths; one uses an adapter. */
  const others = () =>
    [5, 90, 1, 33, 128, 2, 64].map((length, i) =>
      ask({ promptIds: prompt(length, 5 + i), adapter: i === 3 ? other : null }),
    );

  function expectSame(answer: Generated, expected: Generated): void {
    expect(answer.tokens).toEqual(expected.tokens);
    if (batchInvariant) expect(answer.logprobs).toEqual(expected.logprobs);
    const far = answer.logprobs.map((logprob, i) => Math.abs(logprob - expected.logprobs[i]!));
    expect(Math.max(...far)).toBeLessThan(1e-4);
  }

  test.each([
    { name: 'the base model', used: null },
    { name: 'an adapter', used: one },
  ])('$name gives the same answer in a full batch and beside another adapter', async ({ used }) => {
    const alone = await ask({ adapter: used });
    const [answer] = await Promise.all([ask({ adapter: used }), ...others()]);
    expectSame(answer, alone);
  });

  test('gives the same answer from prompts of other requests, complete or partial, kept or still being computed', async () => {
    const alone = await ask();
    const sharing = { cacheSalt: 'shared' };
    await ask({ ...sharing, promptIds: [...own.slice(0, 50), ...prompt(20, 9)] });
    const continued = await ask(sharing);
    const repeated = await ask(sharing);
    const together = await Promise.all([
      ask({ cacheSalt: 'together', promptIds: [...own.slice(0, 41), ...prompt(60, 8)] }),
      ask({ cacheSalt: 'together' }),
      ask({ cacheSalt: 'together' }),
      ...others(),
    ]);
    const left = batchInvariant ? 2 : 1;
    const answers = [continued, repeated, together[1]!, together[2]!];
    expect(answers.map(({ cachedTokens }) => cachedTokens)).toEqual([50, 75 - left, 41, 75 - left]);
    for (const answer of answers) expectSame(answer, alone);
  });

  test('gives the same answer when it continues a conversation', async () => {
    const first = await ask({ cacheSalt: 'conversation' });
    const promptIds = [...own, ...first.tokens, ...prompt(5, 3)];
    const next = await ask({ cacheSalt: 'conversation', promptIds });
    expect(next.cachedTokens).toBeGreaterThanOrEqual(75);
    expectSame(next, await ask({ promptIds }));
  });
});
