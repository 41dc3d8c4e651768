import { GatheredAnswer } from '../../chat/answers/answer.ts';
import type { Chat } from '../../chat/answers/chat.ts';
import { Chunks } from '../../chat/answers/chunks.ts';
import { everything, shownIn } from '../../chat/answers/shown.ts';
import type { ModelFiles } from '../../chat/types.ts';
import { chatRequest } from '../../contract/chat/request.ts';
import type { CompletionInputs } from '../../contract/completions/inputs.ts';
import { newId } from '../../contract/ids.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { validate } from '../../contract/validate.ts';
import { Canceled, Failure } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import type { Deps } from '../deps.ts';
import { isArtifact } from '../models/artifact-model.ts';
import type { Owner } from '../owner.ts';
import type { ModelAnswer, ModelStream } from './model-answer.ts';
import { modelParameters, timeoutMsOf } from './parameters.ts';
import type { CompletionRecord } from './record.ts';

export type EngineRequest = Owner & {
  model: ModelFiles;
  inputs: CompletionInputs;
  messages: JsonText[];
  /** Whether the record has the tokens and their logprobs, which training reads. */
  keepsTokens: boolean;
  signal: AbortSignal;
};

/** Generates a response with a model that heddle serves, in this process. @throws Failure */
export async function completeOwn(inference: Deps['inference'], request: EngineRequest): Promise<ModelAnswer> {
  const { chat, explain } = await start(inference, request);
  const answer = new GatheredAnswer(chat);
  try {
    for await (const event of chat.generation.events) answer.take(event);
  } catch (error) {
    throw explain(error);
  }
  return { response: new JsonText(toJson(answer.completion(chat.shown))), record: recordOf(answer, chat, request) };
}

/** The same, streamed in chunks. */
export async function streamOwn(inference: Deps['inference'], request: EngineRequest): Promise<ModelStream> {
  const { chat, explain } = await start(inference, request);
  const answer = new GatheredAnswer(chat);
  const chunks = new Chunks(chat);
  return {
    chunks: (async function* () {
      try {
        for await (const event of chat.generation.events) {
          answer.take(event);
          const made = event.kind === 'prompt' ? chunks.opening() : [chunks.choice(event)];
          for (const chunk of made) yield toJson(chunk);
        }
        yield toJson(chunks.usage(answer));
      } catch (error) {
        throw explain(error);
      }
    })(),
    record: () => recordOf(answer, chat, request),
  };
}

async function start(inference: Deps['inference'], request: EngineRequest) {
  const { model, inputs, project, caller, keepsTokens } = request;
  const fromArtifact = isArtifact(model.name);
  const timeoutMs = timeoutMsOf(inputs);
  const timeout = timeoutMs === null ? null : AbortSignal.timeout(timeoutMs);
  const signal = timeout ? AbortSignal.any([request.signal, timeout]) : request.signal;
  const explain = (error: unknown) => {
    if (request.signal.aborted) return new Canceled('The request was canceled.');
    if (timeout?.aborted)
      return new Failure('unavailable', `${model.name} did not respond within ${timeoutMs! / 1000} s.`);
    return error;
  };
  const parameters = { ...modelParameters(inputs), ...toolsOf(inputs), messages: request.messages, model: model.name };
  const body = validate(chatRequest, parseJson(toJson(parameters), { keep: keepTreeOf(chatRequest) }), 'inputs');
  const generation = await inference
    .generate(
      model,
      {
        tenant: [caller.userId, project.name],
        body,
        usesNeutralSampling: fromArtifact,
        keepsLogprobs: keepsTokens || fromArtifact,
      },
      signal,
    )
    .catch((error) => {
      throw explain(error);
    });
  const created = Math.floor(Date.now() / 1000);
  const chat: Chat = {
    id: `chatcmpl-${newId()}`,
    created,
    body,
    generation,
    shown: shownIn(body, generation, fromArtifact),
    callId: null,
  };
  return { chat, explain };
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

/** As for a chat request (`api/chat/traced-chat.ts`): the record has everything, whether the client gets it or not. */
function recordOf(answer: GatheredAnswer, { generation }: Chat, { keepsTokens }: EngineRequest): CompletionRecord {
  const { model, settings } = generation;
  const { prompt_tokens_details: _, ...tokens } = answer.usage;
  const shown = keepsTokens ? everything : { ...everything, ids: false, promptIds: false, logprobs: false };
  const sampling = { ...settings, seed: new JsonText(String(settings.seed)) };
  return {
    output: toJson(answer.completion(shown)),
    attributes: { heddle: { model: { id: model.id, name: model.name }, sampling } },
    summary: { usage: { [model.name]: { requests: 1, ...tokens } } },
  };
}
