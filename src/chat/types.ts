import type { ChatRequest } from '../contract/chat/request.ts';
import type { LogprobEntry, PromptLogprobs } from './output/logprob-entries.ts';
import type { OutputDelta } from './output/deltas.ts';

/** A served model and where its files are. */
export type ModelFiles = {
  /** Changes when another model takes the name. */
  id: string;
  name: string;
  /** A Hugging Face folder, or a GGUF file. */
  path: string;
};

export type Tenant = readonly [user: string, project: string];

/** What is asked of a model. */
export type GenerateRequest = {
  /** Whose request it is: waiting requests are served in turn by user, and for each user by project. */
  tenant: Tenant;
  body: ChatRequest;
  /** Values that the request leaves open are neutral instead of the model's own. */
  usesNeutralSampling: boolean;
  /** Whether the logprob of every token is told, asked for or not. */
  keepsLogprobs: boolean;
};

/** The values a generation is sampled with, wherever they came from. */
export type GenerationSettings = {
  temperature: number;
  top_p: number;
  top_k: number;
  min_p: number;
  frequency_penalty: number;
  presence_penalty: number;
  repetition_penalty: number;
  n: number;
  seed: bigint;
  max_tokens: number;
  min_tokens: number;
};

/** A request that was found good: what it is made of. Its answer follows in events. */
export type Accepted = {
  promptIds: readonly number[];
  settings: GenerationSettings;
  /** The role the answer speaks in. */
  role: string;
  /** Whether the model thinks aloud before it answers. */
  reasons: boolean;
  /** What `echo` puts before the answer. */
  echoed: string | null;
};

type FinishReason = 'stop' | 'length' | 'repetition' | 'tool_calls' | 'abort';

/** What a choice has to say more: tokens that arrived together are told together. */
export type ChoiceEvent = {
  kind: 'choice';
  index: number;
  ids: number[];
  logprobs: LogprobEntry[];
  deltas: OutputDelta[];
  /** With the last event of the choice. */
  finish: { finishReason: FinishReason; stopReason: number | string | null } | null;
};

export type GenerationEvent =
  /** The prompt is read; once, before all others. */
  { kind: 'prompt'; cachedTokens: number; promptLogprobs: (PromptLogprobs | null)[] | null } | ChoiceEvent;

/** An answer under way. Reading its events fails when the generation does; leaving off aborts it. */
export type Generation = Accepted & {
  model: ModelFiles;
  events: AsyncIterable<GenerationEvent>;
};

export type InferenceLimits = {
  /** Sequences that are stepped together. */
  runningMax: number;
  /** Requests that may wait for their turn. */
  waitingMax: number;
  /** Choices of one request. */
  choicesMax: number;
  /** Alternatives told with each token; −1 allows the whole vocabulary. */
  logprobsMax: number;
  /** Processes that render templates of requests, and as many that compile grammars. */
  preparersMax: number;
  /** Templates and grammars that may wait to be prepared, each. */
  preparationsWaitingMax: number;
};

/** Thrown where as many requests wait as may. */
export class Overloaded extends Error {
  override name = 'Overloaded';
}

/** Thrown for a model that cannot be opened or was closed meanwhile, with the reason. */
export class ModelUnavailable extends Error {
  override name = 'ModelUnavailable';
  readonly isUnsupported: boolean;

  constructor(message: string, isUnsupported: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isUnsupported = isUnsupported;
  }
}

/** Thrown for every request of a model whose process ended while nobody had asked for it. */
export class ModelCrashed extends ModelUnavailable {
  override name = 'ModelCrashed';

  constructor(message: string, cause: Error | undefined) {
    super(message, false, { cause });
  }
}
