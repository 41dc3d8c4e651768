import type { Context } from '../../context.ts';
import type * as contract from '../../contract/chat/completions.ts';
import type { Handler } from '../../http/bind.ts';
import { EventStream, type JsonAnswer } from '../../http/send-events.ts';
import { chatOpName, startChat, wholeChat } from '../../services/completions/own/own-chat.ts';
import { defaultProject } from '../../services/owner.ts';
import { asApiError } from '../inference/generation-errors.ts';
import { openReceived } from '../inference/open-request.ts';
import { headersToSend, randomId, readHeaders } from '../inference/request-headers.ts';
import { completeTensorZero, isTensorZeroModel, readTensorZeroBody } from '../tensorzero/chat-completions.ts';
import { completionFrames } from './frames.ts';

/** Makes every check before the first byte is sent: an error in a stream is a real failure. */
export function chatCompletions(context: Context): Handler<typeof contract.chatCompletions> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const headers = readHeaders(raw.headers);
    const { model, user } = body;
    if (isTensorZeroModel(model)) {
      const project = headers.project ?? defaultProject(caller);
      const more = { project, caller, log: raw.log, signal: whenHungUp() };
      return completeTensorZero(context, { body: readTensorZeroBody(raw), ...more });
    }
    const request = await openReceived(context, { opName: chatOpName, model, user, caller, headers, raw });
    const requestId = headers.requestId ?? body.request_id ?? randomId();
    const refuse = asApiError(raw.log);
    const chat = await startChat(request, { id: `chatcmpl-${requestId}`, body }, whenHungUp()).catch(refuse);
    const sent = headersToSend(requestId, request);
    if (body.stream) return new EventStream(completionFrames(chat, raw.log), sent);
    return { body: await wholeChat(chat).catch(refuse), headers: sent } satisfies JsonAnswer;
  };
}
