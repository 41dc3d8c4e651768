import type { FastifyBaseLogger } from 'fastify';
import { GatheredAnswer } from '../../chat/answers/answer.ts';
import type { Chat } from '../../chat/answers/chat.ts';
import { Chunks } from '../../chat/answers/chunks.ts';
import { openAiErrorBody } from '../../http/openai-errors.ts';
import { toApiError } from '../inference/generation-errors.ts';
import { done, frame } from '../inference/stream-frames.ts';
import type { Trace } from '../inference/trace.ts';
import { tracedChat } from './traced-chat.ts';

/**
 * The frames of a stream, in order: for each choice one with the role and, with `echo`, one with the last message; then
 * what the choices say, the last frame of each with its finish reason; the usage where asked for; `[DONE]`.
 */
export async function* completionFrames(chat: Chat, trace: Trace | null, log: FastifyBaseLogger) {
  const answer = new GatheredAnswer(chat);
  const chunks = new Chunks(chat);
  let failure: Error | null = null;
  let isRead = false;
  try {
    for await (const event of chat.generation.events) {
      answer.take(event);
      const made = event.kind === 'prompt' ? chunks.opening() : [chunks.choice(event)];
      yield made.map(frame).join('');
    }
    if (chat.body.stream_options?.include_usage) yield frame(chunks.usage(answer));
    isRead = true;
    yield done;
  } catch (error) {
    failure = error as Error;
    isRead = true;
    yield frame(openAiErrorBody(toApiError(failure, log))) + done;
  } finally {
    trace?.end(tracedChat(answer), failure ?? (isRead ? null : new Error('The client hung up.')));
  }
}
