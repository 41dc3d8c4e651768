import type { DrawingParameters } from '../../../chat/plan/sampling-of-request.ts';
import type { Constraint } from '../../../engine/grammars/constraint.ts';
import type { Decoding, GenerationRequest } from '../../../engine/scheduling/generation-request.ts';
import { JsonText } from '../../../util/json/json-text.ts';
import { structuredOutputs } from './code-points.ts';

type Sampling = Decoding & { kind: 'sampling' };

type SequenceState = {
  seed: bigint;
  /** What was generated before, by an earlier request for the same sequence. */
  output: readonly number[];
  /** Null if the next tokens are free. */
  constraint: Constraint | null;
  /** How many alternatives to report with each token; null: not even the token's own logprob. */
  topLogprobs: number | null;
};

/**
 * The body of `POST /v1/completions` for one sequence. Values are sent although they are neutral, because the defaults of a server come
 * from the files of its model. Stop strings are left out: they are found in the text, which is heddle's.
 */
export function sequenceBody(
  request: GenerationRequest,
  { parameters, isSeedGiven, badWords }: Sampling,
  { seed, output, constraint, topLogprobs }: SequenceState,
): Record<string, unknown> {
  return {
    ...commonBody(request, output),
    ...drawingFields(parameters, badWords),
    ...(isSeedGiven ? { seed: new JsonText(String(seed)) } : {}),
    ...(constraint === null ? {} : { structured_outputs: structuredOutputs(constraint) }),
    ...(topLogprobs === null ? {} : { logprobs: topLogprobs }),
  };
}

/** How tokens are drawn, also where the values are neutral. */
export function drawingFields(parameters: DrawingParameters, badWords: readonly string[]): Record<string, unknown> {
  const { logitBias, allowedTokenIds } = parameters;
  return {
    temperature: parameters.temperature,
    top_p: parameters.topP,
    top_k: parameters.topK === 0 ? -1 : parameters.topK,
    min_p: parameters.minP,
    frequency_penalty: parameters.frequencyPenalty,
    presence_penalty: parameters.presencePenalty,
    repetition_penalty: parameters.repetitionPenalty,
    ...(logitBias.length === 0 ? {} : { logit_bias: Object.fromEntries(logitBias) }),
    ...(allowedTokenIds === null ? {} : { allowed_token_ids: allowedTokenIds }),
    ...(badWords.length === 0 ? {} : { bad_words: badWords }),
  };
}

/** The body for all beams of a request. */
export function beamsBody(
  request: GenerationRequest,
  { width, lengthPenalty, includesStop }: Decoding & { kind: 'beams' },
): Record<string, unknown> {
  const { topLogprobs } = request;
  return {
    ...commonBody(request, []),
    ...{ use_beam_search: true, n: width, length_penalty: lengthPenalty, temperature: 0 },
    include_stop_str_in_output: includesStop,
    ...(topLogprobs === null ? {} : { logprobs: topLogprobs }),
  };
}

/** Asks for the logprobs of given tokens. The one token that must be generated is of no use. */
export function scoresBody(
  { cacheSalt, priority }: Pick<GenerationRequest, 'cacheSalt' | 'priority'>,
  ids: readonly number[],
  top: number,
): Record<string, unknown> {
  return { prompt: ids, max_tokens: 1, temperature: 0, prompt_logprobs: top, ...sharing({ cacheSalt, priority }) };
}

function commonBody(request: GenerationRequest, output: readonly number[]): Record<string, unknown> {
  const { promptIds, rules } = request;
  const { eosId, ignoreEos, stopTokenIds, minTokens, maxTokens, contextLength } = rules;
  const ends = ignoreEos || eosId === null ? [] : [eosId];
  const room = contextLength - promptIds.length - output.length;
  return {
    prompt: output.length === 0 ? promptIds : [...promptIds, ...output],
    max_tokens: Math.max(1, Math.min(maxTokens - output.length, room)),
    min_tokens: Math.max(0, minTokens - output.length),
    ignore_eos: ignoreEos,
    stop_token_ids: [...new Set([...ends, ...stopTokenIds])],
    return_token_ids: true,
    return_tokens_as_token_ids: true,
    skip_special_tokens: false,
    ...sharing(request),
  };
}

export function sharing({
  cacheSalt,
  priority,
}: Pick<GenerationRequest, 'cacheSalt' | 'priority'>): Record<string, unknown> {
  return { ...(cacheSalt === '' ? {} : { cache_salt: cacheSalt }), ...(priority === 0 ? {} : { priority }) };
}
