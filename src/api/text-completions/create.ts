import type { Context } from '../../context.ts';
import type * as contract from '../../contract/text-completions/create.ts';
import type { Handler } from '../../http/bind.ts';
import { EventStream, type JsonAnswer } from '../../http/send-events.ts';
import { promptsOf, startText, textOpName, wholeText } from '../../services/completions/own/own-text.ts';
import { asApiError } from '../inference/generation-errors.ts';
import { openReceived } from '../inference/open-request.ts';
import { headersToSend, randomId, readHeaders } from '../inference/request-headers.ts';
import { textFrames } from './frames.ts';
import { checkTextRequest } from './requests.ts';

/** Makes every check before the first byte is sent: an error in a stream is a real failure. */
export function textCompletionCreate(context: Context): Handler<typeof contract.textCompletionCreate> {
  return async ({ body, caller, raw, whenHungUp }) => {
    checkTextRequest(body, context.config.chatChoicesMax);
    const headers = readHeaders(raw.headers);
    const { model, user } = body;
    const request = await openReceived(context, { opName: textOpName, model, user, caller, headers, raw });
    const requestId = headers.requestId ?? body.request_id ?? randomId();
    const refuse = asApiError(raw.log);
    const id = `cmpl-${requestId}`;
    const text = await startText(request, { id, body, ...promptsOf(body) }, whenHungUp()).catch(refuse);
    const sent = headersToSend(requestId, request);
    if (body.stream) return new EventStream(textFrames(text, raw.log), sent);
    return { body: await wholeText(text).catch(refuse), headers: sent } satisfies JsonAnswer;
  };
}
