import { z } from 'zod';

/** What is read of vLLM's answers. */

export const modelList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      /** Where its files are: a folder of the server's machine, or a name. */
      root: z.string().nullish(),
      /** The base model, if this is an adapter. */
      parent: z.string().nullish(),
      max_model_len: z.int().nullish(),
    }),
  ),
});

export type ListedModel = z.output<typeof modelList>['data'][number];

export const versionAnswer = z.object({ version: z.string() });

const ids = z.array(z.int());

const usage = z.object({
  prompt_tokens: z.int(),
  /** Missing in answers without generated tokens. */
  completion_tokens: z.int().nullish(),
  prompt_tokens_details: z.object({ cached_tokens: z.int().nullish() }).nullish(),
});

/** The logprobs of a prompt's tokens by their ids, and null for the first token. */
const promptLogprobs = z.array(
  z
    .record(z.string(), z.object({ logprob: z.number(), rank: z.int().nullish(), decoded_token: z.string().nullish() }))
    .nullable(),
);

export type WirePromptLogprobs = z.output<typeof promptLogprobs>;

const finish = {
  finish_reason: z.string().nullish(),
  /** The text or the id that has ended it, unless it was the model's own end. */
  stop_reason: z.union([z.string(), z.int()]).nullish(),
  token_ids: ids.nullish(),
};

const completionChoice = z.object({
  index: z.int(),
  text: z.string(),
  ...finish,
  /** Only in the first chunk of a choice. */
  prompt_token_ids: ids.nullish(),
  prompt_logprobs: promptLogprobs.nullish(),
  /** With `return_tokens_as_token_ids`, tokens are written as `token_id:17`. */
  logprobs: z
    .object({
      tokens: z.array(z.string()),
      token_logprobs: z.array(z.number().nullable()),
      top_logprobs: z.array(z.record(z.string(), z.number()).nullable()).nullish(),
    })
    .nullish(),
});

/** A chunk of `POST /v1/completions`; the last one has the usage and no choices. A whole answer has all of it. */
export const completionChunk = z.object({ choices: z.array(completionChoice), usage: usage.nullish() });

export type CompletionChunk = z.output<typeof completionChunk>;

const tokenLogprob = z.object({ token: z.string(), logprob: z.number(), bytes: z.array(z.int()).nullish() });

const chatMessage = z.object({
  role: z.string().nullish(),
  content: z.string().nullish(),
  reasoning: z.string().nullish(),
  /** The name of `reasoning` in older versions. */
  reasoning_content: z.string().nullish(),
  tool_calls: z
    .array(
      z.object({
        /** Missing in a whole answer. */
        index: z.int().nullish(),
        id: z.string().nullish(),
        function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
      }),
    )
    .nullish(),
});

const chatChoice = {
  index: z.int(),
  ...finish,
  logprobs: z
    .object({ content: z.array(tokenLogprob.extend({ top_logprobs: z.array(tokenLogprob) })).nullish() })
    .nullish(),
};

const chatAbout = {
  usage: usage.nullish(),
  /** Of a stream, only in the first chunk. */
  prompt_token_ids: ids.nullish(),
  prompt_logprobs: promptLogprobs.nullish(),
};

/** A chunk of `POST /v1/chat/completions`. */
export const chatChunk = z.object({ choices: z.array(z.object({ ...chatChoice, delta: chatMessage })), ...chatAbout });

export type ChatChunk = z.output<typeof chatChunk>;

/** The same in one piece. */
export const chatAnswer = z.object({
  choices: z.array(z.object({ ...chatChoice, message: chatMessage })),
  ...chatAbout,
});

export type ChatAnswer = z.output<typeof chatAnswer>;

/** Of `POST /tokenize`. */
export const tokenizeAnswer = z.object({
  tokens: ids,
  max_model_len: z.int(),
  token_strs: z.array(z.string()).nullish(),
});

export type TokenizeAnswer = z.output<typeof tokenizeAnswer>;

/** Of `POST /detokenize`. */
export const detokenizeAnswer = z.object({ prompt: z.string() });

export const embeddingAnswer = z.object({
  data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()) })),
  usage: usage,
});

export type EmbeddingAnswer = z.output<typeof embeddingAnswer>;

/** An error within a stream. */
export const streamError = z.object({
  error: z.object({ code: z.union([z.int(), z.string()]).nullish().catch(null) }),
});
