import type { AdapterFiles } from '../adapters/adapter-files.ts';
import type { Constraint } from '../grammars/constraint.ts';
import type { GrammarVocabulary } from '../grammars/grammar-requests.ts';
import type { FinishRules } from '../sampling/finish.ts';
import type { SamplingParameters } from '../sampling/parameters.ts';

/** The user and the project of a request. */
export type Tenant = readonly [user: string, project: string];

/** A request to a model: token ids in, token ids out. */
export type GenerationRequest = {
  promptIds: readonly number[];
  decoding: Decoding;
  rules: FinishRules;
  /** How many alternatives to report with each token; null: not even the token's own logprob. */
  topLogprobs: number | null;
  /** The same for the tokens of the prompt. */
  promptLogprobs: number | null;
  /** What every sequence of output tokens must match. */
  constraint: HeldTo | null;
  /** Null for the base model alone. */
  adapter: AdapterFiles | null;
  /** Lower values run first. */
  priority: number;
  /** At equal priority, users take turns, and so do the projects of a user. */
  tenant: Tenant;
  /** Requests with different salts do not share computed prompts. */
  cacheSalt: string;
  /** Identifies the beginning of the prompt, for an engine of several machines that keep computed prompts. */
  beginning(): string;
};

/** A constraint, and where it starts. */
type HeldTo = {
  constraint: Constraint;
  /** The field that the client set, for errors. */
  field: string;
  vocabulary: GrammarVocabulary;
  prelude: Prelude | null;
};

/**
 * Unconstrained tokens before the constrained ones. They do not end the output; the sink reports when they are over.
 * `isOpen`: the output starts with them. `openingId`: they start if this is the first token.
 */
export type Prelude = { isOpen: boolean; openingId: number | null };

/** How the tokens of a request's sequences are chosen. */
export type Decoding =
  /** One sequence for each seed. */
  | {
      kind: 'sampling';
      parameters: Omit<SamplingParameters, 'seed'>;
      seeds: readonly bigint[];
      /** Whether the client has chosen the seed. */
      isSeedGiven: boolean;
      /** `parameters.badWords` as text, for an engine that has a tokenizer itself. */
      badWords: readonly string[];
    }
  /** The `width` most likely sequences. `includesStop`: their tokens include the end-of-text token. */
  | { kind: 'beams'; width: number; lengthPenalty: number; includesStop: boolean };
