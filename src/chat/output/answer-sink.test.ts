import { afterAll, expect, test } from 'vitest';
import { tinyModel } from '../../engine/registry/tiny-model.ts';
import { pool, requester } from '../../util/workers/testing/isolation.ts';
import { AnswerChecks, type AnswerSchemas } from '../structured/checks/answer-checks.ts';
import { modelTextOfFolder } from '../tokenizer/from-folder.ts';
import type { ChoiceEvent, GenerationEvent } from '../types.ts';
import { AnswerSink } from './answer-sink.ts';
import { outputParser } from './output-parser.ts';

const { tokenizer } = await modelTextOfFolder((await tinyModel()).path);
const checks = new AnswerChecks(pool);
afterAll(() => checks.close());

const schema = JSON.stringify({ type: 'object', properties: { n: { minimum: 2 } }, required: ['n'] });
const ofContent: AnswerSchemas = { kind: 'content', schema };
const ofCalls: AnswerSchemas = { kind: 'calls', schemas: new Map([['f', schema]]) };
const furtherEos = 7;

/** What a reader sees of one answer, whose end the engine or a stop string decides. */
async function answered(
  text: string,
  stopReason: string | number | null,
  schemas = ofContent,
): Promise<{ finish: unknown; error: string | null }> {
  const events: GenerationEvent[] = [];
  const rules = { minTokens: 0, stopStrings: [], includesStop: false, skipSpecialTokens: true };
  const error = await new Promise<Error | null>((resolve) => {
    const sink = new AnswerSink({
      draws: 'model',
      promptIds: [],
      choices: [
        {
          tokenizer,
          rules,
          parser: outputParser({ chatTemplate: null, prompt: '', toolCalls: { tools: [], parallel: true } }),
          tokensAsIds: false,
        },
      ],
      promptLogprobs: { prompt: null, echoed: null },
      check: (answer) => checks.fault(schemas, answer, requester),
      eosIds: [tokenizer.idOf('<|im_end|>')!, furtherEos],
      emit: (event) => events.push(event),
      end: resolve,
    });
    for (const id of tokenizer.encode(text)) sink.token(0, { id, logprobs: null, drawnLogprob: null, finish: null });
    sink.sequenceEnded(0, { finishReason: 'stop', stopReason });
    sink.end(null);
  });
  return { finish: (events.at(-1) as ChoiceEvent).finish, error: error?.message ?? null };
}

test('a finished answer that satisfies its schema is reported as finished', async () => {
  const finish = { finishReason: 'stop', stopReason: null };
  expect(await answered('{"n": 2}', null)).toEqual({ finish, error: null });
});

test('a finished answer that violates its schema is an error that names the keyword, and does not finish', async () => {
  expect(await answered('{"n": 1}', null)).toEqual({
    finish: null,
    error: expect.stringContaining('at #/properties/n/minimum'),
  });
  expect(await answered('{"n": 1', null)).toEqual({ finish: null, error: expect.stringContaining('not JSON') });
});

test('an answer that ends with a further end token of its model is checked', async () => {
  expect(await answered('{"n": 1}', furtherEos)).toMatchObject({ error: expect.stringContaining('minimum') });
});

test('the arguments of a required call are checked, and that there is a call', async () => {
  const call = (name: string, n: number) => `<tool_call>\n{"name": "${name}", "arguments": {"n": ${n}}}\n</tool_call>`;
  const finish = { finishReason: 'tool_calls', stopReason: null };
  expect(await answered(call('f', 2), null, ofCalls)).toEqual({ finish, error: null });
  expect(await answered(`${call('f', 2)}\n${call('f', 1)}`, null, ofCalls)).toEqual({
    finish: null,
    error: expect.stringContaining('at #/properties/n/minimum'),
  });
  expect(await answered(call('g', 1), null, ofCalls)).toEqual({ finish, error: null });
  expect(await answered('no', null, ofCalls)).toMatchObject({ error: expect.stringContaining('has no call') });
});

test('an answer that a stop string or a stop token of the request cut is not checked', async () => {
  for (const stop of ['}', 12]) expect(await answered('{"n": 1', stop)).toMatchObject({ error: null });
});

test('what cannot be checked is not a violation', async () => {
  const aborted = { ...requester, signal: AbortSignal.abort() };
  const answer = { content: '{}', calls: [] };
  expect(await checks.fault({ kind: 'content', schema: '{"$ref": "#/nowhere"}' }, answer, requester)).toBeNull();
  expect(await checks.fault(ofContent, answer, aborted)).toBeNull();
});

/** A sink of one choice, and the events that it has emitted. */
function openSink(stopStrings: string[] = []): { sink: AnswerSink; events: ChoiceEvent[] } {
  const events: ChoiceEvent[] = [];
  const rules = { minTokens: 0, stopStrings, includesStop: false, skipSpecialTokens: true };
  const parser = outputParser({ chatTemplate: null, prompt: '', toolCalls: null });
  const sink = new AnswerSink({
    draws: 'model',
    ...{ promptIds: [], choices: [{ tokenizer, rules, parser, tokensAsIds: false }], check: null, eosIds: [] },
    promptLogprobs: { prompt: null, echoed: null },
    emit: (event) => events.push(event as ChoiceEvent),
    end() {},
  });
  return { sink, events };
}

test('the end of a choice waits for late logprobs, and brings those of all tokens that had none', () => {
  const { sink, events } = openSink(['b']);
  const [x, a, b] = ['x', 'a', 'b'].map((text) => tokenizer.encode(text)[0]!) as [number, number, number];
  const at = (id: number, logprob: number) => ({ token: { id, logprob, rank: 1 }, top: [] });
  sink.token(0, { id: x, logprobs: at(x, -1), drawnLogprob: null, finish: null });
  sink.token(0, { id: a, logprobs: 'later', drawnLogprob: null, finish: null });
  expect(sink.token(0, { id: b, logprobs: 'later', drawnLogprob: null, finish: null })).toBe(true);
  expect(events.map(({ finish }) => finish)).toEqual([null, null]);
  sink.lateLogprobs(0, [at(a, -2), at(b, -3)]);
  expect(events.at(-1)).toMatchObject({ ids: [b], finish: { finishReason: 'stop', stopReason: 'b' } });
  const entries = events.flatMap(({ logprobs }) => logprobs.map(({ token, logprob }) => [token, logprob]));
  expect(entries).toEqual([
    ['x', -1],
    ['a', -2],
    ['b', -3],
  ]);
});

test('a choice whose late logprobs cannot be had ends without them', () => {
  const { sink, events } = openSink();
  sink.token(0, { id: tokenizer.encode('a')[0]!, logprobs: 'later', drawnLogprob: null, finish: null });
  sink.sequenceEnded(0, { finishReason: 'length', stopReason: null });
  sink.lateLogprobs(0, null);
  expect(events.at(-1)).toMatchObject({ logprobs: [], finish: { finishReason: 'length' } });
});
