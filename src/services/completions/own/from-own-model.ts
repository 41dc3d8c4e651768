import { Chunks } from '../../../chat/answers/chunks.ts';
import { everything } from '../../../chat/answers/shown.ts';
import { type ChatRequest, chatRequest } from '../../../contract/chat/request.ts';
import type { CompletionInputs } from '../../../contract/completions/inputs.ts';
import { newId } from '../../../contract/ids.ts';
import { keepTreeOf } from '../../../contract/keep-tree.ts';
import { validate } from '../../../contract/validate.ts';
import { Canceled, Failure } from '../../../util/failures.ts';
import { JsonText } from '../../../util/json/json-text.ts';
import { parseJson } from '../../../util/json/parse.ts';
import { toJson } from '../../../util/json/write.ts';
import type { ModelAnswer, ModelStream } from '../model-answer.ts';
import { modelParameters, timeoutMsOf } from '../parameters.ts';
import type { CompletionRecord } from '../record.ts';
import type { OpenedRequest } from './opened-request.ts';
import { type OwnChat, recordedChat, startChat, wholeChat } from './own-chat.ts';
import { recordOf } from './recorded-answer.ts';

export type OwnCompletion = {
  inputs: CompletionInputs;
  messages: JsonText[];
  /** Whether the record has the tokens and their logprobs, which training reads. */
  keepsTokens: boolean;
  signal: AbortSignal;
};

/** Generates a response with a model that heddle serves. @throws Failure */
export async function completeByOwn(request: OpenedRequest, completion: OwnCompletion): Promise<ModelAnswer> {
  const { chat, explain } = await start(request, completion);
  const response = await wholeChat(chat).catch((error) => {
    throw explain(error);
  });
  return { response: new JsonText(toJson(response)), record: recordIn(request, chat, completion) };
}

/** The same, streamed in chunks. */
export async function streamByOwn(request: OpenedRequest, completion: OwnCompletion): Promise<ModelStream> {
  const { chat, explain } = await start(request, completion);
  const chunks = new Chunks(chat);
  return {
    chunks: (async function* () {
      try {
        for await (const event of chat.events) for (const chunk of chunks.of(event)) yield toJson(chunk);
        yield toJson(chunks.usage(chat.answer));
      } catch (error) {
        throw explain(error);
      }
    })(),
    record: () => recordIn(request, chat, completion),
  };
}

async function start(request: OpenedRequest, { inputs, messages, keepsTokens, signal }: OwnCompletion) {
  const { name } = request.model;
  const timeoutMs = timeoutMsOf(inputs);
  const timeout = timeoutMs === null ? null : AbortSignal.timeout(timeoutMs);
  const explain = (error: unknown) => {
    if (signal.aborted) return new Canceled('The request was canceled.');
    if (timeout?.aborted) return new Failure('unavailable', `${name} did not respond within ${timeoutMs! / 1000} s.`);
    return error;
  };
  const body = chatBody(inputs, messages, name);
  const chat = await startChat(
    request,
    { id: `chatcmpl-${newId()}`, body, keepsLogprobs: keepsTokens },
    timeout ? AbortSignal.any([signal, timeout]) : signal,
  ).catch((error) => {
    throw explain(error);
  });
  return { chat, explain };
}

/** The chat for a request, with its messages filled in. @throws ValidationError */
export function chatBody(inputs: CompletionInputs, messages: JsonText[], model: string): ChatRequest {
  const parameters = { ...modelParameters(inputs), ...toolsOf(inputs), messages, model };
  return validate(chatRequest, parseJson(toJson(parameters), { keep: keepTreeOf(chatRequest) }), 'inputs');
}

/** The older form of tools. */
function toolsOf({ functions, function_call: choice, tools, tool_choice }: CompletionInputs): Record<string, unknown> {
  if (functions === null || functions.length === 0 || tools !== null) return {};
  const choices = choice === null || tool_choice !== null ? {} : { tool_choice: toolChoiceOf(choice) };
  return { tools: functions.map((each) => ({ type: 'function', function: each })), ...choices };
}

function toolChoiceOf(choice: JsonText): unknown {
  return choice.kind === 'object' ? { type: 'function', function: choice } : choice;
}

/** For the call of whoever asked, which may have asked a provider instead. */
function recordIn(
  { model, assignment }: OpenedRequest,
  { answer }: OwnChat,
  { keepsTokens }: OwnCompletion,
): CompletionRecord {
  const shown = keepsTokens ? everything : { ...everything, ids: false, promptIds: false, logprobs: false };
  return recordOf(model, assignment, recordedChat(answer, shown));
}
