import type { FastifyBaseLogger } from 'fastify';
import { TextChunks } from '../../chat/answers/text-chunks.ts';
import { openAiErrorBody } from '../../http/openai-errors.ts';
import type { OwnText } from '../../services/completions/own/own-text.ts';
import { toApiError } from '../inference/generation-errors.ts';
import { done, frame } from '../inference/stream-frames.ts';

/**
 * The frames of a stream, in order: for each choice its prompt where it is echoed, then what it says, the last frame with
 * its finish reason; the usage where asked for; `[DONE]`.
 */
export async function* textFrames(text: OwnText, log: FastifyBaseLogger) {
  const chunks = new TextChunks(text);
  try {
    for await (const [prompt, event] of text.events) {
      const made = chunks.of(prompt, event);
      if (made.length > 0) yield made.map(frame).join('');
    }
    if (text.body.stream_options?.include_usage) yield frame(chunks.usage(text.answer));
    yield done;
  } catch (error) {
    yield frame(openAiErrorBody(toApiError(error as Error, log))) + done;
  }
}
