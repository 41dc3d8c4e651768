import type { GenerationFields } from '../contract/chat/generation-fields.ts';
import type { ChatRequest } from '../contract/chat/request.ts';
import type { AdapterId } from '../engine/adapter-id.ts';
import type { AdapterFiles, AdapterLimits } from '../engine/adapters/adapter-files.ts';
import type { Arithmetic } from '../engine/graphs/grouped-linear.ts';
import type { DrawKind } from '../engine/scheduling/draw-kind.ts';
import type { Pooling } from '../engine/scheduling/embedding-generation.ts';
import type { Tenant } from '../engine/scheduling/generation-request.ts';
import type { OutputDelta } from './output/deltas.ts';
import type { EchoedToken, LogprobEntry, PromptLogprobs } from './output/logprob-entries.ts';

/** A served model, wherever its weights are: a base model, alone or with an adapter. */
export type ModelReference = {
  /** Of the base model. Changes when the name is given to another model. */
  id: string;
  name: string;
  /** The adapter of this name; null for the base model. Models that differ only in it share one process. */
  adapter: AdapterReference | null;
};

export type AdapterReference = {
  /** Never reused for other weights. */
  id: AdapterId;
  /** For people: the model with its project and step, where it has them. */
  title: string;
  /** A PEFT folder: blobs below a prefix, an installed model with this id, or a folder of this machine. */
  files: { blobs: string } | { model: string } | { folder: string };
};

/** A text to continue, without a chat template. */
export type TextRequest = GenerationFields & {
  /** Text, or the ids of its tokens. */
  prompt: string | readonly number[];
  add_special_tokens: boolean;
  /** How many alternatives to report with each token; null: not even the token's own logprob. */
  logprobs: number | null;
};

/** A request and how to run it. */
export type TextGenerationRequest<Body = ChatRequest | TextRequest> = {
  tenant: Tenant;
  body: Body;
  /** Unset values are neutral instead of the model's own. */
  usesNeutralSampling: boolean;
  /** Every token has its logprob, whether requested or not. */
  keepsLogprobs: boolean;
  /** The time that templates are given, in milliseconds since 1970. */
  now: number;
};

export function isChat(body: ChatRequest | TextRequest): body is ChatRequest {
  return 'messages' in body;
}

/** Texts to embed: each becomes one vector. */
export type EmbeddingsRequest = {
  tenant: Tenant;
  /** Texts, or the ids of their tokens. */
  inputs: readonly (string | readonly number[])[];
  addsSpecialTokens: boolean;
  /** How many of the last tokens of each are used; −1 for as many as the model can read. */
  truncate: number | null;
  pooling: Pooling;
  normalizes: boolean;
  priority: number;
};

export type EmbeddingsHostRequest = EmbeddingsRequest & { adapter: AdapterFiles | null };

/** For each text, its vector and its number of tokens. */
export type Embeddings = { vectors: Float32Array[]; tokens: number[] };

/** A request that needs only the text half of a model: its tokenizer and its template. */
export type TextHalfRequest =
  /** A conversation, or a plain text. */
  | { kind: 'tokenize'; tenant: Tenant; body: ChatRequest | string; addsSpecialTokens: boolean }
  | { kind: 'detokenize'; tenant: Tenant; ids: readonly number[] }
  | { kind: 'describe'; tenant: Tenant };

/** Ids with the tokens as the vocabulary spells them, and their text. */
export type Tokenized = { ids: number[]; tokens: string[]; text: string; contextMax: number };

export type TokenizerDescription = {
  chatTemplate: string | null;
  /** `bos_token`, `eos_token` and so on. */
  templateVariables: Record<string, string>;
  bosId: number | null;
  eosId: number | null;
  vocabularySize: number;
  contextMax: number;
};

export type TextHalfAnswer = Tokenized | TokenizerDescription;

/** The same for the process of a base model. */
export type HostRequest = TextGenerationRequest & { adapter: AdapterFiles | null };

/** The values that an answer is sampled with, whether given or default. */
export type GenerationSettings = {
  temperature: number;
  top_p: number;
  top_k: number;
  min_p: number;
  frequency_penalty: number;
  presence_penalty: number;
  repetition_penalty: number;
  n: number;
  /** Null if a server has drawn one that it does not report. */
  seed: bigint | null;
  max_tokens: number;
  min_tokens: number;
};

/** What is known about an answer once its request is accepted. The answer follows in events. */
export type Accepted = {
  promptIds: readonly number[];
  settings: GenerationSettings;
  /** The role of the answer. */
  role: string;
  /** Whether the model reasons before it answers. */
  reasons: boolean;
  /** What `echo` puts before the answer: a message that is continued, or the prompt. */
  echoed: string | null;
  /** How the model computes, if not exactly; answers report it. */
  fingerprint: string | null;
  /** What its tokens are drawn from. */
  draws: DrawKind | 'provider';
  origin: AnswerOrigin;
};

/** The engine and the files that an answer comes from. Each digest is a SHA-256 in hexadecimal, null if the files are not here. */
export type AnswerOrigin = {
  engine: EngineVersion;
  digests: {
    weights: string | null;
    /** Null without an adapter, too. */
    adapter: string | null;
    /** Of all files besides the weights. */
    tokenizer: string | null;
    /** Of the source of the chat template; null without one. */
    template: string | null;
  };
};

export type EngineVersion = {
  name: 'heddle' | 'vllm' | 'provider';
  /** Null if servers do not report it. */
  version: string | null;
  /** How it multiplies quantized weights. The last three are null if the engine does not report them. */
  arithmetic: Arithmetic | null;
  /** How many processors it may use. */
  threads: number | null;
  /** Whether results are bitwise independent of other requests. */
  batchInvariant: boolean | null;
};

type FinishReason = 'stop' | 'length' | 'repetition' | 'tool_calls' | 'abort';

/** What one or more tokens added to a choice. */
export type ChoiceEvent = {
  kind: 'choice';
  index: number;
  ids: number[];
  logprobs: LogprobEntry[];
  /** Of adjusted draws: the logprob of each of `ids` in the distribution that it was drawn from; null if it is not known. */
  drawnLogprobs: (number | null)[];
  deltas: OutputDelta[];
  /** Set in the last event of the choice. */
  finish: { finishReason: FinishReason; stopReason: number | string | null } | null;
};

export type GenerationEvent =
  /** Sent once, before all others: the prompt is computed. */
  | {
      kind: 'prompt';
      cachedTokens: number;
      promptLogprobs: (PromptLogprobs | null)[] | null;
      /** The tokens of an echoed prompt with its logprobs. */
      echoedTokens: EchoedToken[] | null;
    }
  | ChoiceEvent
  /** Sent at most once, where it was not known before the tokens: how many tokens of the prompt were reused. */
  | { kind: 'cached'; tokens: number }
  /** Sent at most once, where an answer has no ids: how many tokens the prompt and the answer have. */
  | { kind: 'counted'; prompt: number; completion: number };

/** An answer in progress. Reading its events throws if the generation fails; to stop reading cancels it. */
export type TextGeneration = Accepted & {
  model: ModelReference;
  events: AsyncIterable<GenerationEvent>;
};

export type ChatLimits = {
  /** How many sequences are stepped together. */
  runningMax: number;
  /** How many requests may wait for their turn. */
  waitingMax: number;
  /** Whether results are bitwise independent of other requests. */
  batchInvariant: boolean;
  guessMax: number;
  adapters: AdapterLimits;
  /** How products with quantized weights are computed. */
  quantizedArithmetic: Arithmetic;
  /** How many choices a request may have. */
  choicesMax: number;
  /** How many alternatives are reported with each token; −1 allows the whole vocabulary. */
  logprobsMax: number;
  /** How many processes render templates of requests, and how many compile grammars. */
  preparersMax: number;
  /** How many templates, and how many grammars, may wait to be prepared. */
  preparationsWaitingMax: number;
};
