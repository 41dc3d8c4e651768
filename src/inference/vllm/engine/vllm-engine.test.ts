import { expect, onTestFinished, test } from 'vitest';
import type { AdapterId } from '../../../engine/adapter-id.ts';
import type { Finish } from '../../../engine/sampling/finish.ts';
import { neutralSampling } from '../../../engine/sampling/testing/neutral-sampling.ts';
import type { GeneratedToken } from '../../../engine/scheduling/generation.ts';
import type { GenerationRequest } from '../../../engine/scheduling/generation-request.ts';
import { testLimits } from '../../hosts/testing/options.ts';
import { openServers, startDouble } from '../servers/testing/open-servers.ts';
import { VllmEngine } from './vllm-engine.ts';

const end = 2;
/** Unlike 300 and above, which a sink below counts as reasoning. */
const answerFrom = 400;

async function openEngine(options: Parameters<typeof startDouble>[0] = {}, scoresPrompts = true) {
  const double = await startDouble(options);
  const servers = await openServers([double.url], { scoresPrompts });
  const start = { addresses: [double.url], apiKey: null, model: 'tiny', contextMax: 64, vocabSize: 1000 };
  const engine = new VllmEngine({ ...start, adaptersFolder: null, scoresPrompts }, servers, testLimits);
  onTestFinished(() => engine.close());
  double.received.length = 0;
  const asked = () => double.received.filter(({ path }) => path === '/v1/completions').map(({ body }) => body);
  return { double, engine, asked };
}

function request(more: Partial<GenerationRequest> = {}, seeds = [7n]): GenerationRequest {
  return {
    promptIds: [5, 6, 7],
    decoding: { kind: 'sampling', parameters: neutralSampling, seeds, isSeedGiven: true, badWords: [] },
    rules: {
      ...{ eosId: end, ignoreEos: false, stopTokenIds: new Set(), minTokens: 0, maxTokens: 4, contextLength: 64 },
      repetition: null,
    },
    ...{ topLogprobs: 0, promptLogprobs: null, constraint: null, adapter: null, priority: 0, cacheSalt: '' },
    tenant: ['ann', 'p'],
    beginning: () => 'a',
    ...more,
  };
}

type Sequence = { tokens: GeneratedToken[]; late: number[] | null | undefined; finish: Finish | null };

/** The sequences of a request, of which each ends with `stopId`, as at a stop string. */
async function generated(engine: VllmEngine, asked: GenerationRequest, stopId = -1): Promise<Sequence[]> {
  return (await answered(engine, asked, stopId)).sequences;
}

/** The same, with how many tokens of the prompt were cached, each time that it is reported. */
async function answered(engine: VllmEngine, asked: GenerationRequest, stopId = -1) {
  const cached: number[] = [];
  const start = await engine.prepare(asked, new AbortController().signal);
  const sequences: Sequence[] = [];
  const of = (index: number) => (sequences[index] ??= { tokens: [], late: undefined, finish: null });
  await new Promise<void>((resolve, reject) => {
    start({
      promptDone: ({ cachedTokens }) => void cached.push(cachedTokens),
      token(index, token) {
        of(index).tokens.push(token);
        of(index).finish = token.finish;
        return token.id === stopId;
      },
      isInPrelude: (index) => of(index).tokens.every(({ id }) => id < answerFrom),
      lateLogprobs(index, logprobs) {
        of(index).late = logprobs === null ? null : logprobs.map(({ token }) => token.id);
      },
      lateCachedTokens: (tokens) => void cached.push(tokens),
      sequenceEnded(index, finish) {
        of(index).finish = finish;
      },
      end: (error) => (error ? reject(error) : resolve()),
    });
  });
  return { sequences, cached };
}

const idsOf = ({ tokens }: Sequence) => tokens.map(({ id }) => id);

const held = (prelude: { isOpen: boolean; openingId: number | null } | null): Partial<GenerationRequest> => ({
  constraint: {
    constraint: { kind: 'ebnf', grammar: 'root ::= "a"' },
    field: 'structured_outputs',
    vocabulary: { key: 'v', tokens: ['a', '', ''], coding: 'byte_level', stopTokenIds: [end] },
    prelude,
  },
});

test('each sequence is a request with the next seed, and ends alone', async () => {
  const { engine, double, asked } = await openEngine();
  double.scripts.push([500, 501, 502, 503], [500, end]);
  const sequences = await generated(engine, request({}, [7n, 8n]));
  const ends = sequences.map((each) => [idsOf(each), each.finish?.finishReason]);
  // Either request may arrive first, and gets the first script.
  expect(ends.toSorted()).toEqual([
    [[500, end], 'stop'],
    [[500, 501, 502, 503], 'length'],
  ]);
  const sent = asked().map(({ seed, prompt, n }) => ({ seed, prompt, n }));
  expect(sent.toSorted((a, b) => a.seed - b.seed)).toEqual([
    { seed: 7, prompt: [5, 6, 7], n: undefined },
    { seed: 8, prompt: [5, 6, 7], n: undefined },
  ]);
});

test('a sequence that its sink ends is not read further', async () => {
  const { engine, double } = await openEngine();
  double.scripts.push([500, 501, 502, 503]);
  const [sequence] = await generated(engine, request(), 501);
  expect(idsOf(sequence!)).toEqual([500, 501]);
  await expect.poll(() => double.running()).toBe(0);
});

test('logprobs of constrained tokens come later, from a request that has them in its prompt', async () => {
  const { engine, double, asked } = await openEngine();
  double.scripts.push([500, end]);
  const [sequence] = await generated(engine, request(held(null)));
  expect(sequence!.tokens.map(({ logprobs }) => logprobs)).toEqual(['later', 'later']);
  expect(sequence!.late).toEqual([500, end]);
  const [constrained, scored] = asked();
  expect(constrained).toMatchObject({ structured_outputs: { grammar: 'root ::= "a"' } });
  expect(constrained.logprobs).toBe(0);
  expect(scored).toMatchObject({ prompt: [5, 6, 7, 500, end], prompt_logprobs: 0 });
});

test('reports the logprobs of draws as far as the server does', async () => {
  const parameters = { ...neutralSampling, temperature: 0.5 };
  const cold = { kind: 'sampling', parameters, seeds: [7n], isSeedGiven: true, badWords: [] } as const;
  const kinds = async (isProcessed: boolean) => {
    const { engine, double } = await openEngine({ isProcessed });
    double.scripts.push([500, end]);
    const [sequence] = await generated(engine, request({ ...held(null), topLogprobs: 0 }));
    const kindOf = (more: Partial<GenerationRequest>) => engine.drawKind(request(more));
    return [
      ...(await Promise.all([kindOf({}), kindOf({ decoding: cold }), kindOf(held(null))])),
      sequence!.tokens.every(({ drawnLogprob }) => drawnLogprob! <= 0),
    ];
  };
  expect(await kinds(false)).toEqual(['model', 'unreported', 'adjusted', true]);
  expect(await kinds(true)).toEqual(['model', 'adjusted', 'adjusted', true]);
});

test('logprobs of prompts are not asked for where that is turned off', async () => {
  const { engine, double, asked } = await openEngine({}, false);
  double.scripts.push([500, end]);
  const [sequence] = await generated(engine, request(held(null)));
  expect(idsOf(sequence!)).toEqual([500, end]);
  expect(sequence!.late).toBeNull();
  expect(asked()).toHaveLength(1);
  await expect(generated(engine, request({ promptLogprobs: 0 }))).rejects.toThrow(/prompt_logprobs/);
});

test('what follows open reasoning is a second request with the constraint', async () => {
  const { engine, double, asked } = await openEngine();
  double.scripts.push([300, 301, answerFrom, 999], [410, end]);
  const [sequence] = await generated(engine, request(held({ isOpen: true, openingId: null })));
  expect(idsOf(sequence!)).toEqual([300, 301, answerFrom, 410]);
  expect(sequence!.late).toEqual([410]);
  const [free, constrained] = asked();
  expect(free.structured_outputs).toBeUndefined();
  expect(constrained).toMatchObject({ prompt: [5, 6, 7, 300, 301, answerFrom], max_tokens: 1 });
});

test('an answer that does not begin with reasoning is asked for again with the constraint', async () => {
  const { engine, double } = await openEngine();
  double.scripts.push([500, 501], [410, end]);
  const [sequence] = await generated(engine, request(held({ isOpen: false, openingId: 300 })));
  expect(idsOf(sequence!)).toEqual([410, end]);
});

test('logprobs of a server that processes them are asked for again, unless sampling is neutral', async () => {
  const { engine, double, asked } = await openEngine({ isProcessed: true });
  double.scripts.push([500, end]);
  const [neutral] = await generated(engine, request());
  expect(neutral!.tokens[0]!.logprobs).toMatchObject({ token: { id: 500 } });
  const cold = { ...neutralSampling, temperature: 0.5 };
  const decoding = { kind: 'sampling', parameters: cold, seeds: [7n], isSeedGiven: true, badWords: [] } as const;
  double.scripts.push([500, end]);
  const [filtered] = await generated(engine, request({ decoding }));
  expect(filtered!.late).toEqual([500, end]);
  expect(asked()).toHaveLength(3);
});

test('cached tokens of the prompt are reported once, after the answers, and are the most that one of them has', async () => {
  const { engine, double } = await openEngine();
  double.scripts.push([500, end], [500, 501, 502, 503]);
  double.cached.push(1, 2);
  const { cached } = await answered(engine, request({}, [7n, 8n]));
  expect(cached).toEqual([0, 2]);
});

test('no cached tokens are reported of an answer that its sink ends, or that is asked for again', async () => {
  const { engine, double } = await openEngine();
  double.scripts.push([500, 501, 502, 503]);
  double.cached.push(2);
  expect((await answered(engine, request(), 501)).cached).toEqual([0]);
  double.scripts.push([300, 301, answerFrom, 999], [410, end]);
  double.cached.push(2, 3);
  expect((await answered(engine, request(held({ isOpen: true, openingId: null })))).cached).toEqual([0]);
});

test('an answer is complete although its usage is lost', async () => {
  const { engine, double } = await openEngine();
  double.scripts.push([500, end]);
  double.faults.cutAfter = 2;
  expect((await generated(engine, request())).map(idsOf)).toEqual([[500, end]]);
});

test('an answer with fewer ids than the server counts fails', async () => {
  const { engine, double } = await openEngine();
  double.scripts.push([500, 501, end]);
  double.faults.losesIds = true;
  await expect(generated(engine, request({ topLogprobs: null }))).rejects.toThrow('2 token ids for 3 tokens');
});

test('values are sent although they are neutral, a seed only if it was given', async () => {
  const { engine, asked } = await openEngine();
  const decoding = {
    ...({ kind: 'sampling', parameters: neutralSampling, seeds: [7n], isSeedGiven: false } as const),
    badWords: ['foo'],
  };
  await generated(engine, request({ decoding }));
  expect(asked()[0]).toMatchObject({ temperature: 1, top_p: 1, top_k: -1, repetition_penalty: 1, bad_words: ['foo'] });
  expect(asked()[0].seed).toBeUndefined();
});

test('a failure of the server is one that every process knows', async () => {
  const { engine, double } = await openEngine();
  double.faults.status = 400;
  const failure = await generated(engine, request()).catch((error) => error);
  expect([failure.constructor.name, failure.kind]).toEqual(['Failure', 'invalidInput']);
});

test('an adapter without a folder that servers see is refused by the name of the setting', async () => {
  const { engine } = await openEngine();
  const adapter = { id: 'x' as AdapterId, name: 'x', folder: '/nowhere' };
  await expect(engine.loadAdapter(adapter)).rejects.toThrow(/HEDDLE_VLLM_ADAPTERS/);
});

test('answers that end by themselves keep their connection for the next request', async () => {
  const { engine, double } = await openEngine();
  double.faults.tokenMs = 5; // the end of the stream comes after the usage
  await generated(engine, request());
  const before = double.connections();
  for (let i = 0; i < 3; i++) await generated(engine, request());
  expect(double.connections()).toBe(before);
});
