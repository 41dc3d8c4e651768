import type { FastifyRequest } from 'fastify';
import { GatheredAnswer } from '../../chat/answers/answer.ts';
import type { Chat } from '../../chat/answers/chat.ts';
import { shownIn } from '../../chat/answers/shown.ts';
import type { TextGenerationRequest } from '../../chat/types.ts';
import type { Context } from '../../context.ts';
import type { ChatCompletion } from '../../contract/chat/completion.ts';
import type * as contract from '../../contract/chat/completions.ts';
import type { Handler } from '../../http/bind.ts';
import { EventStream, type JsonAnswer } from '../../http/send-events.ts';
import { isArtifact } from '../../services/models/artifact-model.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { toApiError } from '../inference/generation-errors.ts';
import { headersToSend, randomId, readHeaders } from '../inference/request-headers.ts';
import { openTrace, type Trace } from '../inference/trace.ts';
import { projectOfModelRequest } from '../project.ts';
import { completionFrames } from './frames.ts';
import { chatOpName, tracedChat } from './traced-chat.ts';

/** Makes every check before the first byte is sent: an error in a stream is a real failure. */
export function chatCompletions(context: Context): Handler<typeof contract.chatCompletions> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const startedAt = nowMicroseconds();
    const headers = readHeaders(raw.headers);
    const model = await context.services.models.resolve(body.model || context.config.defaultModel, caller);
    const trace = await openTrace(context, {
      opName: chatOpName,
      caller,
      bytes: raw.body as Buffer,
      headers,
      model,
      startedAt,
    });
    const fromArtifact = isArtifact(model.name);
    const request: TextGenerationRequest = {
      tenant: [caller.userId, projectOfModelRequest({ caller, headers, model })],
      body: { ...body, priority: headers.priority ?? body.priority },
      usesNeutralSampling: fromArtifact,
      keepsLogprobs: trace !== null || fromArtifact,
    };
    const generation = await context.inference.generate(model, request, whenHungUp()).catch((error) => {
      throw toApiError(error, raw.log);
    });
    const requestId = headers.requestId ?? body.request_id ?? randomId();
    const id = `chatcmpl-${requestId}`;
    const created = Math.floor(startedAt / 1_000_000);
    const shown = shownIn(body, generation, fromArtifact);
    const chat: Chat = { id, created, body, generation, shown, callId: trace?.id ?? null };
    const sent = headersToSend(requestId);
    if (body.stream) return new EventStream(completionFrames(chat, trace, raw.log), sent);
    return { body: await wholeAnswer(chat, trace, raw), headers: sent } satisfies JsonAnswer;
  };
}

async function wholeAnswer(chat: Chat, trace: Trace | null, raw: FastifyRequest): Promise<ChatCompletion> {
  const answer = new GatheredAnswer(chat);
  try {
    for await (const event of chat.generation.events) answer.take(event);
  } catch (error) {
    trace?.end(tracedChat(answer), error as Error);
    throw toApiError(error as Error, raw.log);
  }
  trace?.end(tracedChat(answer), null);
  return answer.completion(chat.shown);
}
