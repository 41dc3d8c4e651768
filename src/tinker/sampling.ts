import type { ModelReference } from '../chat/types.ts';
import { newId } from '../contract/ids.ts';
import { type TextCompletionRequest, textCompletionRequest } from '../contract/text-completions/request.ts';
import type { Caller } from '../identity/identity.ts';
import type { Completions } from '../services/completions/completions.ts';
import { startText, wholeText } from '../services/completions/own/own-text.ts';
import type { Project } from '../services/owner.ts';
import type { SamplingOutput, TopLogprobs } from './training-output.ts';

const samplingOpName = 'heddle.tinker.sample';

export type SamplingRequest = {
  prompt: number[];
  samples: number;
  maxTokens: number | null;
  seed: number | null;
  /** Null: the model's own end of a text. Empty: only `maxTokens` ends a sequence. */
  stop: string[] | number[] | null;
  temperature: number;
  topK: number;
  topP: number;
  promptLogprobs: boolean;
  /** The first token of the prompt with a logprob; earlier ones have none. */
  promptLogprobsLastN: number | null;
  promptTop: number;
  sampledTop: number;
};

export type Sampled = {
  caller: Caller;
  project: Project;
  model: ModelReference;
  request: SamplingRequest;
  /** The request as it was sent, for its call. */
  body: Buffer;
};

/** Samples from a model. The request is recorded as a call with all tokens and logprobs. @throws Failure */
export async function sample(
  completions: Pick<Completions, 'open'>,
  { caller, project, model, request, body }: Sampled,
  signal: AbortSignal,
): Promise<SamplingOutput> {
  const record = { opName: samplingOpName, body, threadId: null };
  const opened = await completions.open({ caller, model, project: project.name, record });
  const text = textRequest(request);
  const { prompt } = request;
  const prompts = [{ ...text, prompt, n: request.samples }];
  const started = await startText(opened, { id: newId(), body: text, prompts, returned: request.samples }, signal);
  const { choices, usage } = await wholeText(started);
  const wanted = request.promptLogprobs || request.promptTop > 0 ? choices[0]!.prompt_logprobs : null;
  const first = request.promptLogprobsLastN === null ? 0 : prompt.length - request.promptLogprobsLastN;
  const within = wanted?.map((entry, i) => (i < first ? null : entry)) ?? null;
  return {
    sequences: choices.map(({ token_ids, logprobs, finish_reason }) => ({
      isStopped: finish_reason === 'stop',
      tokens: token_ids!,
      logprobs: logprobs!.token_logprobs.map((logprob) => logprob!),
      top: request.sampledTop > 0 ? logprobs!.top_logprobs.map((top) => topOf(top!, request.sampledTop)) : null,
    })),
    promptLogprobs: request.promptLogprobs ? within!.map((entry, i) => entry?.[prompt[i]!]?.logprob ?? null) : null,
    promptTop: request.promptTop > 0 ? within!.map((entry) => entry && rankedOf(entry, request.promptTop)) : null,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
  };
}

/** All values are set: the model's own defaults must not change what is trained on. */
function textRequest(request: SamplingRequest): TextCompletionRequest {
  const { stop } = request;
  const isIds = stop !== null && typeof stop[0] === 'number';
  const read = textCompletionRequest.parse({
    prompt: request.prompt,
    max_tokens: request.maxTokens,
    temperature: request.temperature,
    top_k: request.topK,
    top_p: request.topP,
    min_p: 0,
    repetition_penalty: 1,
    frequency_penalty: 0,
    presence_penalty: 0,
    ...(stop !== null && { ignore_eos: true, [isIds ? 'stop_token_ids' : 'stop']: stop }),
    logprobs: request.sampledTop,
    prompt_logprobs: request.promptLogprobs || request.promptTop > 0 ? request.promptTop : null,
    return_token_ids: true,
    return_tokens_as_token_ids: true,
    skip_special_tokens: false,
  });
  return { ...read, seed: request.seed === null ? null : BigInt(request.seed) };
}

/** Keys are `token_id:ID`, the token that was chosen may be beyond the others. */
function topOf(top: Record<string, number>, count: number): TopLogprobs {
  const entries = Object.entries(top).map(([key, logprob]) => ({
    token: Number(key.slice('token_id:'.length)),
    logprob,
  }));
  return entries.sort((a, b) => b.logprob - a.logprob).slice(0, count);
}

function rankedOf(entry: Record<string, { logprob: number; rank: number }>, count: number): TopLogprobs {
  const entries = Object.entries(entry).map(([id, { logprob, rank }]) => ({ token: Number(id), logprob, rank }));
  return entries.sort((a, b) => a.rank - b.rank).slice(0, count);
}
