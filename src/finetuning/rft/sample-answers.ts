import { GatheredAnswer } from '../../chat/answers/answer.ts';
import { everything } from '../../chat/answers/shown.ts';
import type { ModelFiles } from '../../chat/types.ts';
import type { ChatCompletion } from '../../contract/chat/completion.ts';
import { chatRequest } from '../../contract/chat/request.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { validate } from '../../contract/validate.ts';
import type { Inference } from '../../inference/inference.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import type { SizedPrompt } from './prepare-rft.ts';

export type SampleOptions = {
  /** Answers to the prompt. */
  n: number;
  tokensMax: number;
  seed: number;
  reasoningEffort: string | null;
  /** Whose turn it is in the engine. */
  tenant: readonly [user: string, project: string];
  signal: AbortSignal;
};

/** One answer, with its token ids and their logprobs. */
export type SampledChoice = ChatCompletion['choices'][number];

/** Answers a prompt with the engine of the server, as often as wanted, with the probabilities of the model itself. */
export async function sampleAnswers(
  inference: Pick<Inference, 'generate'>,
  model: ModelFiles,
  { messages, tools }: SizedPrompt,
  { n, tokensMax, seed, reasoningEffort, tenant, signal }: SampleOptions,
): Promise<SampledChoice[]> {
  const body = {
    model: model.name,
    messages,
    ...(tools === null ? {} : { tools }),
    ...{ n, seed, temperature: 1, max_tokens: tokensMax, logprobs: true, reasoning_effort: reasoningEffort },
  };
  const request = {
    tenant,
    body: validate(chatRequest, parseJson(toJson(body), { keep: keepTreeOf(chatRequest) }), 'messages'),
    usesNeutralSampling: true,
    keepsLogprobs: true,
  };
  const generation = await inference.generate(model, request, signal);
  const answer = new GatheredAnswer({
    ...{ id: 'sample', created: 0, body: request.body, generation, shown: everything, callId: null },
  });
  for await (const event of generation.events) answer.take(event);
  return answer.completion({ ...everything, training: true }).choices;
}
