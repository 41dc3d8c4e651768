import { GatheredAnswer } from '../../../chat/answers/answer.ts';
import type { Chat } from '../../../chat/answers/chat.ts';
import { everything, type Shown, shownIn } from '../../../chat/answers/shown.ts';
import type { GenerationEvent } from '../../../chat/types.ts';
import type { ChatCompletion } from '../../../contract/chat/completion.ts';
import type { ChatRequest } from '../../../contract/chat/request.ts';
import type { OpenedRequest } from './opened-request.ts';
import { readEvents } from './read-events.ts';
import { type RecordedAnswer, recordedOrigin, recordedSampling } from './recorded-answer.ts';

export const chatOpName = 'heddle.chat.completions';

/** A chat with a model of heddle's own, whose answer is being generated. */
export type OwnChat = Chat & {
  /** What has been read of it. */
  answer: GatheredAnswer;
  /**
   * Reading them throws if the generation fails; to stop reading cancels it. When they end, however they end, the
   * request is recorded.
   */
  events: AsyncIterable<GenerationEvent>;
};

type NewChat = { id: string; body: ChatRequest; keepsLogprobs?: boolean };

/** Resolves when the request is accepted. @throws Failure */
export async function startChat(
  request: OpenedRequest,
  { id, body, ...options }: NewChat,
  signal: AbortSignal,
): Promise<OwnChat> {
  const generation = await request.generate(body, signal, options);
  const { call, startedAt, isForTraining } = request;
  const created = Math.floor(startedAt / 1_000_000);
  const shown = shownIn(body, generation, isForTraining);
  const chat: Chat = { id, created, body, generation, shown, callId: call?.id ?? null };
  const answer = new GatheredAnswer(chat);
  const events = readEvents(generation.events, {
    take: (event) => answer.take(event),
    end: (failure) => request.recordLater(recordedChat(answer), failure),
  });
  return { ...chat, answer, events };
}

/** The whole answer. @throws Failure */
export async function wholeChat({ answer, events, shown: asked }: OwnChat, shown = asked): Promise<ChatCompletion> {
  for await (const _ of events);
  return answer.completion(shown);
}

/**
 * What the call of a chat contains, for training on it:
 * - `output`: the answer in the shape of a whole completion, streamed or not, with everything in it, asked for or not:
 *   `prompt_token_ids`, and for each of `choices` `token_ids` and `logprobs.content`, one entry for each id.
 * - `attributes.heddle.sampling`: the values used, whoever gave them, and the seed of the first choice. Beside it `draws`, `engine` and
 *   `digests` (`recordedOrigin`).
 */
export function recordedChat(answer: GatheredAnswer, shown: Shown = everything): RecordedAnswer {
  const { prompt_tokens_details: _, ...usage } = answer.usage;
  return {
    output: () => answer.completion(shown),
    attributes: () => ({
      sampling: recordedSampling(answer.settings),
      ...recordedOrigin(answer.generation, shown.logprobs ? answer.choices : []),
    }),
    usage,
    bytes: answer.bytes,
  };
}
