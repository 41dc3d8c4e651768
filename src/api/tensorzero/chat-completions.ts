import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { badRequest } from '../../contract/errors.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import type * as contract from '../../contract/tensorzero/chat-completions.ts';
import { type TensorZeroChatBody, tensorZeroChatRequest } from '../../contract/tensorzero/chat-completions.ts';
import { validate } from '../../contract/validate.ts';
import { inputOfMessages } from '../../domain/tensorzero/chat-messages.ts';
import type { ToolChoice } from '../../domain/tensorzero/settings.ts';
import type { Handler } from '../../http/bind.ts';
import { EventStream, type JsonAnswer } from '../../http/send-events.ts';
import type { Caller } from '../../identity/identity.ts';
import { wholeChat } from '../../services/completions/own/own-chat.ts';
import { ownerOf } from '../../services/owner.ts';
import type { InferenceRequest, StartedInference } from '../../services/tensorzero/infer.ts';
import { parseJson, parsePlain } from '../../util/json/parse.ts';
import { completionChunks } from '../chat/frames.ts';
import { asApiError } from '../inference/generation-errors.ts';
import { refuseFields } from './refuse-fields.ts';

type Received = {
  body: TensorZeroChatBody;
  project: string;
  caller: Caller;
  log: FastifyBaseLogger;
  signal: AbortSignal;
};

export function tensorZeroChatCompletions(context: Context): Handler<typeof contract.tensorZeroChatCompletions> {
  return ({ params: { entity, project }, body, caller, raw, whenHungUp }) =>
    completeTensorZero(context, { body, project: `${entity}/${project}`, caller, log: raw.log, signal: whenHungUp() });
}

const prefix = 'tensorzero::';

/** Whether the model of a chat is a function or a model of TensorZero. */
export function isTensorZeroModel(model: string | null): boolean {
  return model?.startsWith(prefix) === true;
}

/** The body of a chat as it was sent, with the fields that TensorZero adds. @throws ValidationError */
export function readTensorZeroBody(raw: FastifyRequest): TensorZeroChatBody {
  const sent = parseJson((raw.body as Buffer).toString(), { keep: keepTreeOf(tensorZeroChatRequest) });
  return validate(tensorZeroChatRequest, sent, 'body');
}

export async function completeTensorZero({ identity, services: { tensorZero } }: Context, received: Received) {
  const { body, project, caller, log, signal } = received;
  const asked = readBody(body);
  const owner = await ownerOf({ identity }, caller, project, 'write');
  const refuse = asApiError(log);
  const started = await tensorZero.infer({ ...owner, ...asked, signal }).catch(refuse);
  const more = { episode_id: started.episodeId, model: modelOf(asked, started) };
  if (body.stream) return new EventStream(completionChunks(started.chat, log, (chunk) => ({ ...chunk, ...more })));
  return { body: { ...(await wholeChat(started.chat).catch(refuse)), ...more } } satisfies JsonAnswer;
}

function modelOf({ target }: Pick<InferenceRequest, 'target'>, { variantName }: StartedInference): string {
  return target.kind === 'model'
    ? `${prefix}model_name::${target.name}`
    : `${prefix}function_name::${target.name}::variant_name::${variantName}`;
}

function targetOf(model: string): InferenceRequest['target'] {
  for (const kind of ['function', 'model'] as const) {
    const start = `${prefix}${kind}_name::`;
    if (model.startsWith(start) && model.length > start.length) return { kind, name: model.slice(start.length) };
  }
  throw badRequest(
    '`model` must be `tensorzero::function_name::NAME` or `tensorzero::model_name::NAME`, such as ' +
      '`tensorzero::function_name::my_function`.',
  );
}

function readBody(body: TensorZeroChatBody): Omit<InferenceRequest, 'project' | 'caller' | 'signal'> {
  const own = body['tensorzero::params']?.chat_completion ?? {};
  const { service_tier, thinking_budget_tokens, verbosity, ...given } = own as typeof own & Record<string, unknown>;
  const refused = ['provider_tools', 'credentials', 'extra_body', 'extra_headers', 'internal_dynamic_variant_config'];
  const included = ['include_original_response', 'include_raw_response', 'include_raw_usage'];
  const named = [...refused, ...included].map((name) => `${prefix}${name}`);
  const fields = named.map((name) => [name, (body as Record<string, unknown>)[name]]);
  refuseFields({}, { ...Object.fromEntries(fields), service_tier, thinking_budget_tokens, verbosity });
  const { response_format: format, stream_options, tool_choice: choice, tools } = body;
  const limits = [body.max_tokens, body.max_completion_tokens].filter((each) => each !== null);
  const set = Object.entries(given).filter(([, value]) => value !== null);
  const namespace = body['tensorzero::namespace'];
  const tags = body['tensorzero::tags'];
  return {
    target: targetOf(body.model),
    input: inputOfMessages(body.messages),
    sentInput: { messages: body.messages },
    episodeId: body['tensorzero::episode_id'],
    variantName: body['tensorzero::variant_name'],
    isDryRun: body['tensorzero::dryrun'] === true,
    tags: namespace === null ? tags : { ...tags, [`${prefix}namespace`]: namespace },
    parameters: {
      ...{ temperature: body.temperature, top_p: body.top_p, seed: body.seed },
      ...{ presence_penalty: body.presence_penalty, frequency_penalty: body.frequency_penalty },
      ...{ reasoning_effort: body.reasoning_effort, stop_sequences: body.stop },
      max_tokens: limits.length === 0 ? null : Math.min(...limits),
      json_mode: format === null ? null : jsonModes[format.type],
      ...Object.fromEntries(set),
    },
    ...(body.stream && stream_options !== null ? { chatFields: { stream: true, stream_options } } : {}),
    tools: {
      allowed: null,
      additional: (tools ?? []).map(({ function: { name, description, parameters, strict } }) => ({
        ...{ name, description: description ?? '', strict: strict === true },
        parameters: parameters ? parsePlain(parameters) : {},
      })),
      choice: choice === undefined ? null : choiceOf(choice),
      parallel: body.parallel_tool_calls,
    },
    outputSchema: format?.json_schema?.schema ?? null,
  };
}

const jsonModes = { text: 'off', json_object: 'on', json_schema: 'strict' } as const;

function choiceOf(choice: NonNullable<TensorZeroChatBody['tool_choice']>): ToolChoice {
  return typeof choice === 'string' ? choice : { specific: choice.function.name };
}
