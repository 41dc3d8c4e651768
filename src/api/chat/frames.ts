import type { FastifyBaseLogger } from 'fastify';
import { Chunks } from '../../chat/answers/chunks.ts';
import type { ChatChunk } from '../../contract/chat/completion.ts';
import { openAiErrorBody } from '../../http/openai-errors.ts';
import type { OwnChat } from '../../services/completions/own/own-chat.ts';
import { toApiError } from '../inference/generation-errors.ts';
import { done, frame } from '../inference/stream-frames.ts';

/**
 * The frames of a stream, in order: for each choice one with the role and, with `echo`, one with the last message; then
 * what the choices say, the last frame of each with its finish reason; the usage where asked for; `[DONE]`.
 */
export function completionFrames(chat: OwnChat, log: FastifyBaseLogger) {
  return completionChunks(chat, log, (chunk) => chunk);
}

/** The same frames, each with a changed chunk. */
export async function* completionChunks(chat: OwnChat, log: FastifyBaseLogger, changed: (chunk: ChatChunk) => object) {
  const chunks = new Chunks(chat);
  const framed = (chunk: ChatChunk) => frame(changed(chunk));
  try {
    for await (const event of chat.events) yield chunks.of(event).map(framed).join('');
    if (chat.body.stream_options?.include_usage) yield framed(chunks.usage(chat.answer));
    yield done;
  } catch (error) {
    yield frame(openAiErrorBody(toApiError(error as Error, log))) + done;
  }
}
