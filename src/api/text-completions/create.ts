import type { FastifyRequest } from 'fastify';
import type { TextCompletionUnderWay } from '../../chat/answers/text.ts';
import { TextAnswer } from '../../chat/answers/text-answer.ts';
import type { TextGenerationRequest, TextRequest } from '../../chat/types.ts';
import type { Context } from '../../context.ts';
import type { TextCompletion } from '../../contract/text-completions/completion.ts';
import type * as contract from '../../contract/text-completions/create.ts';
import type { Handler } from '../../http/bind.ts';
import { EventStream, type JsonAnswer } from '../../http/send-events.ts';
import { isArtifact } from '../../services/models/artifact-model.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { toApiError } from '../inference/generation-errors.ts';
import { headersToSend, randomId, readHeaders } from '../inference/request-headers.ts';
import { openTrace, type Trace } from '../inference/trace.ts';
import { projectOfModelRequest } from '../project.ts';
import { eventsOf, type TextEvents } from './events.ts';
import { textFrames } from './frames.ts';
import { checkTextRequest, choicesOf } from './requests.ts';
import { textOpName, tracedText } from './traced-text.ts';

/** Makes every check before the first byte is sent: an error in a stream is a real failure. */
export function textCompletionCreate(context: Context): Handler<typeof contract.textCompletionCreate> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const startedAt = nowMicroseconds();
    const { returned, generated } = choicesOf(body);
    checkTextRequest(body, context.config.chatChoicesMax);
    const headers = readHeaders(raw.headers);
    const model = await context.services.models.resolve(body.model || context.config.defaultModel, caller);
    const bytes = raw.body as Buffer;
    const trace = await openTrace(context, { opName: textOpName, caller, bytes, headers, model, startedAt });
    const fromArtifact = isArtifact(model.name);
    const requestOf = (prompt: TextRequest['prompt']): TextGenerationRequest<TextRequest> => ({
      tenant: [caller.userId, projectOfModelRequest({ caller, headers, model })],
      body: {
        ...body,
        prompt,
        n: generated,
        max_tokens: body.max_tokens === 0 ? 1 : body.max_tokens,
        priority: headers.priority ?? body.priority,
      },
      usesNeutralSampling: fromArtifact,
      keepsLogprobs: trace !== null || fromArtifact || generated > returned,
    });
    const ended = new AbortController();
    const signal = AbortSignal.any([whenHungUp(), ended.signal]);
    const starting = body.prompt.map((prompt) => context.inference.generate(model, requestOf(prompt), signal));
    const generations = await Promise.all(starting).catch((error) => {
      ended.abort(); // of several prompts, the others may have been accepted
      for (const each of starting) each.catch(() => {});
      throw toApiError(error, raw.log);
    });
    const requestId = headers.requestId ?? body.request_id ?? randomId();
    const shown = {
      ids: body.return_token_ids === true || fromArtifact,
      promptIds: body.return_token_ids === true || fromArtifact,
      logprobs: body.logprobs !== null,
    };
    const created = Math.floor(startedAt / 1_000_000);
    const request = { id: `cmpl-${requestId}`, created, body, generations, returned, shown };
    const sent = headersToSend(requestId);
    const events = eventsOf(generations, ended);
    if (body.stream) return new EventStream(textFrames(request, { events, trace, log: raw.log }), sent);
    return { body: await wholeText(request, { events, trace, log: raw.log }), headers: sent } satisfies JsonAnswer;
  };
}

type Reading = { events: TextEvents; trace: Trace | null; log: FastifyRequest['log'] };

async function wholeText(request: TextCompletionUnderWay, { events, trace, log }: Reading): Promise<TextCompletion> {
  const answer = new TextAnswer(request);
  try {
    for await (const [prompt, event] of events) answer.take(prompt, event);
  } catch (error) {
    trace?.end(tracedText(answer, request), error as Error);
    throw toApiError(error as Error, log);
  }
  trace?.end(tracedText(answer, request), null);
  return answer.completion(request.shown);
}
