import { everything } from '../../chat/answers/shown.ts';
import type { ModelReference } from '../../chat/types.ts';
import type { ChatCompletion } from '../../contract/chat/completion.ts';
import { chatRequest } from '../../contract/chat/request.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { validate } from '../../contract/validate.ts';
import type { Completions } from '../../services/completions/completions.ts';
import { startChat, wholeChat } from '../../services/completions/own/own-chat.ts';
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

/** Answers a prompt with the model in training, as often as wanted, with the probabilities of the model itself. */
export async function sampleAnswers(
  completions: Pick<Completions, 'openForTraining'>,
  model: ModelReference,
  { messages, tools }: SizedPrompt,
  { n, tokensMax, seed, reasoningEffort, tenant, signal }: SampleOptions,
): Promise<SampledChoice[]> {
  const sent = {
    model: model.name,
    messages,
    ...(tools === null ? {} : { tools }),
    ...{ n, seed, temperature: 1, max_tokens: tokensMax, logprobs: true, reasoning_effort: reasoningEffort },
  };
  const body = validate(chatRequest, parseJson(toJson(sent), { keep: keepTreeOf(chatRequest) }), 'messages');
  const request = completions.openForTraining({ model, tenant });
  const chat = await startChat(request, { id: 'sample', body }, signal);
  return (await wholeChat(chat, { ...everything, training: true })).choices;
}
