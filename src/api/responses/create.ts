import { asResponseError, chatRequestOf } from '../../chat/responses/chat-request.ts';
import { checkResponseRequest } from '../../chat/responses/check-request.ts';
import { responseId } from '../../chat/responses/ids.ts';
import { responseOpName } from '../../chat/responses/recorded.ts';
import { ResponseRun } from '../../chat/responses/response-run.ts';
import type { TextGenerationRequest } from '../../chat/types.ts';
import type { Context } from '../../context.ts';
import type * as contract from '../../contract/responses/create.ts';
import type { InputItem } from '../../contract/responses/items.ts';
import type { ResponseRequest } from '../../contract/responses/request.ts';
import type { Handler } from '../../http/bind.ts';
import { EventStream, type JsonAnswer } from '../../http/send-events.ts';
import type { Caller } from '../../identity/identity.ts';
import { isArtifact } from '../../services/models/artifact-model.ts';
import { inputItems } from '../../services/responses/items.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { toApiError } from '../inference/generation-errors.ts';
import { headersToSend, randomId, readHeaders } from '../inference/request-headers.ts';
import { openTrace } from '../inference/trace.ts';
import { projectOfModelRequest } from '../project.ts';
import type { BackgroundResponses } from './background.ts';
import { responseFrames } from './frames.ts';
import { previousOf } from './previous.ts';
import { Recording } from './recording.ts';
import { withinContext } from './truncation.ts';

/** Makes every check before the first byte is sent: an error in a stream is a real failure. */
export function responseCreate(
  context: Context,
  background: BackgroundResponses,
): Handler<typeof contract.responseCreate> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const startedAt = nowMicroseconds();
    const headers = readHeaders(raw.headers);
    const refuse = (error: Error): never => {
      throw toApiError(asResponseError(error), raw.log);
    };
    const model = await context.services.models.resolve(body.model || context.config.defaultModel, caller);
    const { items, earlier, threadId } = await conversationOf(context, background, body, caller).catch(refuse);
    const of = { opName: responseOpName, caller, bytes: raw.body as Buffer, headers, model, startedAt, threadId };
    const trace = await openTrace(context, of);
    const fromArtifact = isArtifact(model.name);
    const requestOf = (chosen: readonly InputItem[]): TextGenerationRequest => {
      const chat = chatRequestOf(body, chosen);
      return {
        tenant: [caller.userId, projectOfModelRequest({ caller, headers, model })],
        body: { ...chat, priority: headers.priority ?? chat.priority },
        usesNeutralSampling: fromArtifact,
        keepsLogprobs: trace !== null || fromArtifact,
      };
    };
    const stop = new AbortController();
    const signal = body.background ? stop.signal : whenHungUp();
    const send = (chosen: readonly InputItem[], stop: AbortSignal) =>
      context.inference.generate(model, requestOf(chosen), stop);
    const generation = await withinContext(body.truncation, items, send, signal).catch(refuse);
    const isStored = trace !== null && body.store !== false;
    const head = {
      id: trace === null ? `resp_${randomId()}` : responseId({ callId: trace.id, projectId: trace.projectId }),
      createdAt: Math.floor(startedAt / 1_000_000),
      body,
      model: model.name,
      isStored,
      sampling: generation.settings,
    };
    const run = new ResponseRun(head, generation, shownIn(body));
    const recording = new Recording(run, { trace, earlier, isStored, log: raw.log });
    const sent = headersToSend(headers.requestId ?? body.request_id ?? randomId());
    if (body.background) return { body: await background.start(recording, stop), headers: sent };
    if (body.stream) return new EventStream(responseFrames(recording), sent);
    return { body: await wholeResponse(recording).catch(refuse), headers: sent } satisfies JsonAnswer;
  };
}

/** The items to answer: the conversation before, if the request continues one, and its own. */
async function conversationOf(
  { services: { responses } }: Context,
  background: BackgroundResponses,
  body: ResponseRequest,
  caller: Caller,
) {
  checkResponseRequest(body);
  const before = await previousOf(responses, background, caller, body.previous_response_id);
  const own = await responses.resolve(caller, inputItems(body.input));
  return { ...before, items: [...before.items, ...own] };
}

function shownIn({ include, top_logprobs: top }: ResponseRequest) {
  const included = (name: string) => include?.includes(name) ?? false;
  return {
    showsLogprobs: included('message.output_text.logprobs') || (top ?? 0) > 0,
    showsEncoded: included('reasoning.encrypted_content'),
  };
}

async function wholeResponse(recording: Recording) {
  const { run } = recording;
  try {
    for await (const event of run.generation.events) run.take(event);
  } catch (error) {
    recording.fail(error as Error);
    recording.writeLater();
    throw error;
  }
  await recording.write();
  return run.body();
}
