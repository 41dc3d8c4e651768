import { z } from 'zod';
import { recordedMarks } from '../../../chat/responses/recorded.ts';
import { keepTreeOf } from '../../../contract/keep-tree.ts';
import { optionalInteger } from '../../../contract/wire.ts';
import type { FoundCall } from '../../../domain/calls/found-call.ts';
import type { RecordedChoice } from '../../../domain/lineage/compare-answers.ts';
import { Unverifiable } from '../../../domain/lineage/verification.ts';
import { parseJson, parsePlain } from '../../../util/json/parse.ts';

/** An answer as its call records it (`services/completions/own/`). */
export type StoredAnswer = {
  call: FoundCall;
  record: AnswerRecord;
  /** The prompt and the tokens of each choice of the output. */
  choices: (RecordedChoice & { promptIds: readonly number[] })[];
};

const digest = z.string().nullable();
const answerRecord = z.object({
  model: z.object({
    id: z.string(),
    name: z.string(),
    /** Missing in calls that were recorded before it was. */
    adapter: z.string().nullable().optional(),
  }),
  engine: z.object({
    name: z.string(),
    version: z.string().nullable(),
    arithmetic: z.string().nullable(),
    threads: z.number().nullable(),
    batchInvariant: z.boolean().nullable(),
  }),
  digests: z.object({ weights: digest, adapter: digest, tokenizer: digest, template: digest }),
  draws: z.object({ from: z.string() }),
  sampling: z.object({
    temperature: z.number(),
    top_p: z.number(),
    top_k: z.number(),
    min_p: z.number(),
    frequency_penalty: z.number(),
    presence_penalty: z.number(),
    repetition_penalty: z.number(),
    n: z.number(),
    seed: optionalInteger(),
    max_tokens: z.number(),
    min_tokens: z.number(),
  }),
  /** Of a completion: those of its prompts. */
  seeds: z.array(optionalInteger()).optional(),
});

export type AnswerRecord = z.output<typeof answerRecord>;

const attributes = z.object({ heddle: answerRecord });
const kept = keepTreeOf(attributes);

/** @throws Unverifiable if the call was not answered by heddle's own engine, or lacks its tokens */
export function storedAnswer(call: FoundCall): StoredAnswer {
  const from = parsePlain(call.attributes || '{}')?.heddle?.draws?.from;
  if (from === 'provider') throw new Unverifiable('provider', 'A provider has computed the answer, not heddle.');
  if (from === 'unreported') throw new Unverifiable('vllm', 'A vLLM server has computed the answer, not heddle.');
  if (from === 'beams') throw new Unverifiable('beams', 'A beam search found the answer; nothing was drawn.');
  const read = attributes.safeParse(parseJson(call.attributes || '{}', kept === undefined ? {} : { keep: kept }));
  if (!read.success) {
    throw new Unverifiable(
      'no_record',
      'The call does not record what the answer was drawn from, and by which engine.',
    );
  }
  const record = read.data.heddle;
  if (record.engine.name !== 'heddle') {
    throw new Unverifiable('vllm', 'A vLLM server has computed the answer, not heddle.');
  }
  const choices = choicesOf(call);
  if (choices.every(({ ids }) => ids.length === 0)) {
    throw new Unverifiable('no_record', 'The call has no tokens of an answer.');
  }
  return { call, record, choices };
}

const ids = z.array(z.int());
const chatLogprobs = z.object({ content: z.array(z.object({ logprob: z.number().nullable() })) });
const textLogprobs = z.object({ token_logprobs: z.array(z.number().nullable()) });

const output = z.object({
  prompt_token_ids: ids.nullish(),
  choices: z
    .array(
      z.object({
        token_ids: ids,
        prompt_token_ids: ids.nullish(),
        logprobs: z.union([chatLogprobs, textLogprobs]),
        finish_reason: z.string().nullable(),
      }),
    )
    .min(1),
});

/** Responses record their tokens beside the response. */
const responseOutput = z.object({ prompt_token_ids: ids, token_ids: ids, logprobs: chatLogprobs, status: z.string() });

function choicesOf(call: FoundCall): StoredAnswer['choices'] {
  const value = parsePlain(call.output || 'null');
  if (recordedMarks(call.attributes) !== null) {
    const response = responseOutput.safeParse(value);
    if (!response.success) throw withoutTokens();
    const { prompt_token_ids: promptIds, token_ids, logprobs, status } = response.data;
    const isCut = status !== 'completed' && status !== 'incomplete';
    return [{ promptIds, ids: token_ids, logprobs: ownLogprobs(logprobs, token_ids.length), isCut }];
  }
  const read = output.safeParse(value);
  if (!read.success) throw withoutTokens();
  return read.data.choices.map((choice) => {
    const promptIds = choice.prompt_token_ids ?? read.data.prompt_token_ids;
    if (!promptIds) throw withoutTokens();
    const logprobs = ownLogprobs(choice.logprobs, choice.token_ids.length);
    const isCut = choice.finish_reason === null || choice.finish_reason === 'abort';
    return { promptIds, ids: choice.token_ids, logprobs, isCut };
  });
}

/** Those of an echoed prompt come first. */
function ownLogprobs(
  logprobs: z.output<typeof chatLogprobs> | z.output<typeof textLogprobs>,
  count: number,
): (number | null)[] {
  const all = 'content' in logprobs ? logprobs.content.map(({ logprob }) => logprob) : logprobs.token_logprobs;
  if (all.length < count) throw withoutTokens();
  return all.slice(all.length - count);
}

function withoutTokens(): Unverifiable {
  return new Unverifiable('no_record', 'The tokens of the answer and their logprobs were not recorded.');
}
