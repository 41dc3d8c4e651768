import type { FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import type { chatCompletions } from '../../contract/chat/completions.ts';
import type { ChatRequest } from '../../contract/chat/request.ts';
import type { Generation } from '../../engine/inference/types.ts';
import type { Handler } from '../../http/bind.ts';
import { EventStream, type JsonAnswer } from '../../http/send-events.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { Answer } from './answer.ts';
import { completionFrames } from './frames.ts';
import { toApiError } from './generation-errors.ts';
import { isArtifact, servedModel } from './served-model.ts';
import { type Shown, shownIn } from './shown.ts';
import { type ChatTrace, openTrace } from './trace.ts';

/** Everything about one request that its answer is made from. */
export type Chat = {
  id: string;
  /** Seconds since 1970. */
  created: number;
  body: ChatRequest;
  generation: Generation;
  shown: Shown;
};

/** Every check is made before the first byte is sent, so that an error in a stream is a real failure. */
export function completeChat(context: Context): Handler<typeof chatCompletions> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const startedAt = nowMicroseconds();
    const model = await servedModel(context, body.model);
    const trace = await openTrace(context, { caller, request: raw, model, startedAt });
    const fromArtifact = isArtifact(model.name);
    const keepsLogprobs = trace !== null || fromArtifact;
    const request = { body, usesNeutralSampling: fromArtifact, keepsLogprobs };
    const generation = await context.inference.generate(model, request, whenHungUp()).catch((error) => {
      throw toApiError(error, raw.log);
    });
    const requestId = requestIdOf(raw, body);
    const id = `chatcmpl-${requestId}`;
    const created = Math.floor(startedAt / 1_000_000);
    const chat: Chat = { id, created, body, generation, shown: shownIn(body, generation, fromArtifact) };
    const headers = headersOf(requestId);
    if (body.stream) return new EventStream(completionFrames(chat, trace, raw.log), headers);
    return { body: await wholeAnswer(chat, trace, raw), headers } satisfies JsonAnswer;
  };
}

async function wholeAnswer(chat: Chat, trace: ChatTrace | null, raw: FastifyRequest): Promise<unknown> {
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

/** The header stands above the field. */
function requestIdOf(raw: FastifyRequest, { request_id: inBody }: ChatRequest): string {
  const header = raw.headers['x-request-id'];
  if (typeof header === 'string' && header !== '') return header;
  return inBody ?? randomId();
}

function randomId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

/** An id of the body may hold what no header can. */
function headersOf(requestId: string): Record<string, string> {
  return /^[\x21-\x7e]{1,200}$/.test(requestId) ? { 'x-request-id': requestId } : {};
}
