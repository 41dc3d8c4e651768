import type { FastifyRequest } from 'fastify';
import type { ChatGeneration, ChatGenerationRequest } from '../../chat/types.ts';
import type { Context } from '../../context.ts';
import type { ChatCompletion } from '../../contract/chat/completion.ts';
import type * as contract from '../../contract/chat/completions.ts';
import type { ChatRequest } from '../../contract/chat/request.ts';
import type { Handler } from '../../http/bind.ts';
import { EventStream, type JsonAnswer } from '../../http/send-events.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { Answer } from './answer.ts';
import { completionFrames } from './frames.ts';
import { toApiError } from './generation-errors.ts';
import { readHeaders } from './request-headers.ts';
import { isArtifact, servedModel } from './served-model.ts';
import { type Shown, shownIn } from './shown.ts';
import { type ChatTrace, openTrace, projectOfChat } from './trace.ts';

/** One request and its answer under way. */
export type Chat = {
  id: string;
  /** Seconds since 1970. */
  created: number;
  body: ChatRequest;
  generation: ChatGeneration;
  shown: Shown;
};

/** Makes every check before the first byte is sent: an error in a stream is a real failure. */
export function chatCompletions(context: Context): Handler<typeof contract.chatCompletions> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const startedAt = nowMicroseconds();
    const headers = readHeaders(raw.headers);
    const model = await servedModel(context, body.model);
    const trace = await openTrace(context, { caller, bytes: raw.body as Buffer, headers, model, startedAt });
    const fromArtifact = isArtifact(model.name);
    const request: ChatGenerationRequest = {
      tenant: [caller.userId, projectOfChat({ caller, headers, model })],
      adapterId: model.adapterId,
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
    const chat: Chat = { id, created, body, generation, shown: shownIn(body, generation, fromArtifact) };
    const sent = headersToSend(requestId);
    if (body.stream) return new EventStream(completionFrames(chat, trace, raw.log), sent);
    return { body: await wholeAnswer(chat, trace, raw), headers: sent } satisfies JsonAnswer;
  };
}

async function wholeAnswer(chat: Chat, trace: ChatTrace | null, raw: FastifyRequest): Promise<ChatCompletion> {
  const answer = new Answer(chat);
  try {
    for await (const event of chat.generation.events) answer.take(event);
  } catch (error) {
    trace?.end(answer, error as Error);
    throw toApiError(error as Error, raw.log);
  }
  trace?.end(answer, null);
  return answer.completion(chat.shown);
}

function randomId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

/** An id of the body may have characters that a header cannot. */
function headersToSend(requestId: string): Record<string, string> {
  return /^[\x21-\x7e]{1,200}$/.test(requestId) ? { 'x-request-id': requestId } : {};
}
