import type { FastifyBaseLogger } from 'fastify';
import type { TextCompletionUnderWay } from '../../chat/answers/text.ts';
import { TextAnswer } from '../../chat/answers/text-answer.ts';
import { TextChunks } from '../../chat/answers/text-chunks.ts';
import { openAiErrorBody } from '../../http/openai-errors.ts';
import { toApiError } from '../inference/generation-errors.ts';
import { done, frame } from '../inference/stream-frames.ts';
import type { Trace } from '../inference/trace.ts';
import type { TextEvents } from './events.ts';
import { tracedText } from './traced-text.ts';

/**
 * The frames of a stream, in order: for each choice its prompt where it is echoed, then what it says, the last frame with
 * its finish reason; the usage where asked for; `[DONE]`.
 */
export async function* textFrames(
  request: TextCompletionUnderWay,
  { events, trace, log }: { events: TextEvents; trace: Trace | null; log: FastifyBaseLogger },
) {
  const answer = new TextAnswer(request);
  const chunks = new TextChunks(request);
  let failure: Error | null = null;
  let isRead = false;
  try {
    for await (const [prompt, event] of events) {
      answer.take(prompt, event);
      const made = chunks.of(prompt, event);
      if (made.length > 0) yield made.map(frame).join('');
    }
    if (request.body.stream_options?.include_usage) yield frame(chunks.usage(answer));
    isRead = true;
    yield done;
  } catch (error) {
    failure = error as Error;
    isRead = true;
    yield frame(openAiErrorBody(toApiError(failure, log))) + done;
  } finally {
    trace?.end(tracedText(answer, request), failure ?? (isRead ? null : new Error('The client hung up.')));
  }
}
