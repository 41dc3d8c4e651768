import { afterAll, expect, test } from 'vitest';
import { tinyModel } from '../../engine/registry/tiny-model.ts';
import { pool, requester } from '../../util/workers/testing/isolation.ts';
import { AnswerChecks } from '../structured/checks/answer-checks.ts';
import { modelTextOfFolder } from '../tokenizer/from-folder.ts';
import type { ChoiceEvent, GenerationEvent } from '../types.ts';
import { AnswerSink } from './answer-sink.ts';
import { outputParser } from './output-parser.ts';

const { tokenizer } = await modelTextOfFolder((await tinyModel()).path);
const checks = new AnswerChecks(pool);
afterAll(() => checks.close());

const schema = JSON.stringify({ type: 'object', properties: { n: { minimum: 2 } }, required: ['n'] });

/** What a reader sees of one answer, whose end the engine or a stop string decides. */
async function answered(text: string, stopReason: string | null): Promise<{ finish: unknown; error: string | null }> {
  const events: GenerationEvent[] = [];
  const rules = { minTokens: 0, stopStrings: [], includesStop: false, skipSpecialTokens: true };
  const error = await new Promise<Error | null>((resolve) => {
    const sink = new AnswerSink({
      promptIds: [],
      choices: [
        {
          tokenizer,
          rules,
          parser: outputParser({ chatTemplate: null, prompt: '', toolCalls: null }),
          tokensAsIds: false,
        },
      ],
      promptLogprobs: { prompt: null, echoed: null },
      check: (content) => checks.fault(schema, content, requester),
      emit: (event) => events.push(event),
      end: resolve,
    });
    for (const id of tokenizer.encode(text)) sink.token(0, { id, logprobs: null, finish: null });
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

test('an answer that a stop string cut is not checked', async () => {
  expect(await answered('{"n": 1', '}')).toMatchObject({ error: null });
});

test('what cannot be checked is not a violation', async () => {
  const aborted = { ...requester, signal: AbortSignal.abort() };
  expect(await checks.fault('{"$ref": "#/nowhere"}', '{}', requester)).toBeNull();
  expect(await checks.fault(schema, '{}', aborted)).toBeNull();
});
