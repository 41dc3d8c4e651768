import { asResponseError, chatRequestOf } from '../../chat/responses/chat-request.ts';
import { checkResponseRequest } from '../../chat/responses/check-request.ts';
import { responseOpName } from '../../chat/responses/recorded.ts';
import type { Context } from '../../context.ts';
import type * as contract from '../../contract/responses/create.ts';
import type { InputItem } from '../../contract/responses/items.ts';
import type { ResponseRequest } from '../../contract/responses/request.ts';
import { isPolicyName } from '../../domain/policies/name.ts';
import type { Handler } from '../../http/bind.ts';
import { EventStream, type JsonAnswer } from '../../http/send-events.ts';
import type { Caller } from '../../identity/identity.ts';
import { inputItems } from '../../services/responses/items.ts';
import { Recording } from '../../services/responses/recording.ts';
import type { Responses } from '../../services/responses/responses.ts';
import { withinContext } from '../../services/responses/truncation.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import { asApiError, toApiError } from '../inference/generation-errors.ts';
import { openReceived } from '../inference/open-request.ts';
import { headersToSend, randomId, readHeaders } from '../inference/request-headers.ts';
import { responseFrames } from './frames.ts';
import { previousOf } from './previous.ts';

/** Makes every check before the first byte is sent: an error in a stream is a real failure. */
export function responseCreate(context: Context): Handler<typeof contract.responseCreate> {
  const { models, responses } = context.services;
  return async ({ body, caller, raw, whenHungUp }) => {
    const startedAt = nowMicroseconds();
    const headers = readHeaders(raw.headers);
    const { log } = raw; // a response in the background outlives its request
    const refuse = (error: Error) => asApiError(log)(asResponseError(error));
    const name = body.model || context.config.defaultModel;
    const model = isPolicyName(name) ? name : await models.resolve(name, caller);
    const { items, earlier, threadId } = await conversationOf(responses, body, caller).catch(refuse);
    const unit = { user: body.user, conversation: earlier[0] ?? null };
    const of = { opName: responseOpName, model, caller, headers, raw, startedAt, threadId, ...unit };
    const request = await openReceived(context, of);
    const stop = new AbortController();
    const send = (chosen: readonly InputItem[], signal: AbortSignal) =>
      request.generate(chatRequestOf(body, chosen), signal);
    const signal = body.background ? stop.signal : whenHungUp();
    const generation = await withinContext(body.truncation, items, send, signal).catch(refuse);
    const faults = {
      describe: (error: Error) => toApiError(error, log).message,
      lost: (error: Error) => log.error({ err: error }, 'a response was not recorded'),
    };
    const recording = new Recording(request, { body, generation, earlier, shown: shownIn(body), faults });
    const sent = headersToSend(headers.requestId ?? body.request_id ?? randomId(), request);
    if (body.background) return { body: await responses.runInBackground(recording, stop), headers: sent };
    if (body.stream) return new EventStream(responseFrames(recording), sent);
    return { body: await wholeResponse(recording).catch(refuse), headers: sent } satisfies JsonAnswer;
  };
}

/** The items to answer: the conversation before, if the request continues one, and its own. */
async function conversationOf(responses: Responses, body: ResponseRequest, caller: Caller) {
  checkResponseRequest(body);
  const before = await previousOf(responses, caller, body.previous_response_id);
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
  for await (const _ of recording.events());
  return recording.run.body();
}
