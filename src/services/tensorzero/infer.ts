import type { AnswerChecks } from '../../chat/structured/checks/answer-checks.ts';
import type { UntrustedTemplates } from '../../chat/templates/untrusted-templates.ts';
import { isChat, type TextGenerationRequest } from '../../chat/types.ts';
import { type ChatRequest, chatRequest } from '../../contract/chat/request.ts';
import { newId } from '../../contract/ids.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { validate } from '../../contract/validate.ts';
import { isCallId, madeAt } from '../../domain/calls/ids.ts';
import { formatPolicyName } from '../../domain/policies/name.ts';
import type { Variant } from '../../domain/policies/plan.ts';
import type { Input } from '../../domain/tensorzero/input.ts';
import {
  type FunctionSettings,
  modelNamed,
  type Parameters,
  plainFunction,
  plainVariant,
  type TensorZeroSettings,
  type Tool,
  tensorZeroSettings,
} from '../../domain/tensorzero/settings.ts';
import { Failure, invalidInput, notFound } from '../../util/failures.ts';
import { ownMember } from '../../util/json/own-member.ts';
import { parseJson, parsePlain } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import type { Calls } from '../calls/calls.ts';
import { newModelCall } from '../completions/model-call.ts';
import { type ModelParts, modelAnswerer } from '../completions/own/model-answerer.ts';
import { type Candidates, openedRequest } from '../completions/own/opened-request.ts';
import { chatOpName, type OwnChat, startChat } from '../completions/own/own-chat.ts';
import type { Assignment } from '../completions/own/recorded-answer.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import type { LivePolicy } from '../policies/live-policies.ts';
import type { PolicyRequests } from '../policies/policy-requests.ts';
import type { SettingsReader } from './read-settings.ts';
import { type Requester, renderInput } from './render.ts';
import { offeredTools, type RequestedTools, toolFields } from './tools.ts';

export type InferenceRequest = Owner & {
  /** A function of the project, or a model by TensorZero's name. */
  target: { kind: 'function' | 'model'; name: string };
  input: Input;
  /** The input as it was sent, which the call keeps. */
  sentInput: unknown;
  episodeId: string | null;
  /** The only variant that may answer. */
  variantName: string | null;
  /** Whether nothing is recorded. */
  isDryRun: boolean;
  tags: Record<string, string>;
  parameters: Partial<Parameters>;
  /** Fields of a chat in OpenAI's form that TensorZero has no parameters for, such as `stream_options`. */
  chatFields?: Record<string, unknown>;
  tools: RequestedTools;
  /** Instead of the schema of the function. */
  outputSchema: unknown;
  signal: AbortSignal;
};

/** An inference that is being answered. */
export type StartedInference = {
  type: 'chat' | 'json';
  inferenceId: string;
  episodeId: string;
  /** The variant that answers. */
  variantName: string;
  chat: OwnChat;
  /** What an answer of a JSON function is, if it has the schema that it must have; otherwise null. */
  parsedOutput(raw: string): Promise<unknown>;
  /** The arguments of a call of a tool, if it is a tool that was offered and they have its schema; otherwise null. */
  parsedArguments(tool: string, raw: string): Promise<{ name: string | null; arguments: unknown }>;
};

export type InferDeps = Pick<Deps, 'inference' | 'transport'> &
  ModelParts & {
    calls: Calls;
    policies: PolicyRequests;
    settings: SettingsReader;
    templates: UntrustedTemplates;
    checks: AnswerChecks;
  };

/** What a request is about. */
type Target = {
  of: FunctionSettings;
  settings: TensorZeroSettings;
  /** Null for a model without a function. */
  live: LivePolicy | null;
};

/** Resolves when the inference is accepted. @throws Failure */
export async function startInference(deps: InferDeps, request: InferenceRequest): Promise<StartedInference> {
  const { project, caller, variantName, signal } = request;
  const startedAt = nowMicroseconds();
  const requester: Requester = { tenant: [caller.userId, project.name], signal };
  const { of, settings, live } = await findTarget(deps, request);
  const episodeId = request.episodeId === null ? newId() : checkedEpisode(request.episodeId);
  checkTags(request.tags);
  await checkArguments(deps.checks, of, request.input, requester);
  const schema = of.type === 'json' ? (request.outputSchema ?? of.output_schema ?? true) : null;
  const tools = of.type === 'json' ? [] : offeredTools(settings, of, request.tools);

  const facts = factsOf(request, episodeId, schema);
  const sent = { body: {} as Record<string, unknown>, facts, isAnswered: false };
  async function fieldsFor(variant: Variant): Promise<Record<string, unknown>> {
    const known = ownMember(of.variants, variant.name) as FunctionSettings['variants'][string] | undefined;
    const own = known ?? plainVariant;
    const rendering = { templates: deps.templates, variant: own, requester, hasPrompt: variant.prompt !== null };
    const messages = await renderInput(rendering, request.input);
    return {
      model: live?.name ?? variant.model,
      messages,
      ...parameterFields(own.parameters, request.parameters, schema),
      ...toolFields(of, tools, request.tools),
      ...request.chatFields,
    };
  }
  /** The call has what the last variant got that was asked for the answer; a shadow is asked later. */
  async function bodyFor(variant: Variant): Promise<ChatRequest> {
    const fields = await fieldsFor(variant);
    if (!sent.isAnswered) {
      sent.body = fields;
      sent.facts.variant_name = variant.name;
    }
    return chatOf(fields);
  }
  const shape = async (variant: Variant, body: TextGenerationRequest['body']) =>
    isChat(body) ? bodyFor(variant) : body;

  const call = request.isDryRun
    ? null
    : newModelCall(deps.calls, {
        ...{ projectId: project.id, userId: caller.userId, opName: chatOpName, threadId: episodeId, startedAt },
        inputs: () => toJson(sent.body),
        attributes: { tensorzero: sent.facts },
      });
  const inferenceId = call?.id ?? newId();
  const { candidates, assignment, first } = await chooseCandidates();
  const body = await bodyFor(first);
  const opened = openedRequest(deps, {
    ...{ candidates, assignment, startedAt, call, priority: null, tenant: requester.tenant as [string, string] },
    bodyBytes: toJson(sent.body).length + toJson(request.sentInput).length,
  });
  const chat = await startChat(opened, { id: inferenceId, body }, signal);
  sent.isAnswered = true;
  return {
    ...{ type: of.type, inferenceId, episodeId, chat },
    variantName: answeredBy(),
    parsedOutput: (raw) => parsedIf(deps.checks, schema, raw, requester),
    parsedArguments: (name, raw) => calledTool(deps.checks, tools, { name, raw }, requester),
  };

  async function chooseCandidates(): Promise<{ candidates: Candidates; assignment: Assignment; first: Variant }> {
    if (live === null) {
      const model = modelNamed(settings, request.target.name);
      const answerer = await modelAnswerer(deps, model, request.target.name, { project, caller });
      const candidates = { first: answerer, inOrder: [{ name: request.target.name, open: async () => answerer }] };
      const assignment = { kind: 'plain' as const, policy: model, unit: 'thread' as const };
      return { candidates, assignment, first: { name: request.target.name, model, prompt: null } };
    }
    if (variantName !== null) {
      const candidates = deps.policies.pin(live, variantName, caller, shape);
      const assignment = { kind: 'plain' as const, policy: live.name, unit: 'request' as const };
      return { candidates, assignment, first: live.version.plan.variants.find(({ name }) => name === variantName)! };
    }
    const source = { threadId: episodeId, user: null, requestId: inferenceId };
    const chosen = await deps.policies.choose(live, caller, source, shape);
    return { ...chosen, first: chosen.assignment.assigned.variant };
  }

  function answeredBy(): string {
    if (assignment.kind === 'policy') return assignment.answeredBy;
    return variantName ?? request.target.name;
  }
}

async function findTarget(deps: InferDeps, { target, variantName, ...owner }: InferenceRequest): Promise<Target> {
  const settings = (await deps.settings.read(owner)) ?? tensorZeroSettings.parse({});
  if (target.kind === 'model') {
    if (variantName !== null) throw invalidInput('variant_name is of a function: it cannot be set with model_name.');
    return { settings, live: null, of: plainFunction };
  }
  const of = ownMember(settings.functions, target.name) as FunctionSettings | undefined;
  const live = await deps.policies
    .find(formatPolicyName({ project: owner.project.name, name: target.name }), owner.caller)
    .catch((error) => {
      if (!(error instanceof Failure) || error.kind !== 'notFound') throw error;
      throw notFound(
        `Unknown function: ${target.name.slice(0, 200)}. A function of TensorZero is a policy of the project ${owner.project.name}: ` +
          'import your configuration with `heddle import tensorzero --config`.',
      );
    });
  return { settings, live, of: of ?? plainFunction };
}

function checkedEpisode(id: string): string {
  const lower = id.toLowerCase();
  if (isCallId(lower) && madeAt(lower) !== null) return lower;
  throw invalidInput(
    `Invalid Episode ID: ${id.slice(0, 100)} is not a UUIDv7. Leave episode_id out to begin an episode.`,
  );
}

function checkTags(tags: Record<string, string>): void {
  const reserved = Object.keys(tags).find(
    (name) => name.startsWith('tensorzero::') && name !== 'tensorzero::namespace',
  );
  if (reserved !== undefined)
    throw invalidInput(`Tag name cannot start with 'tensorzero::': ${reserved.slice(0, 100)}`);
}

/** Arguments must have the schemas that the function has for its templates. */
async function checkArguments(checks: AnswerChecks, of: FunctionSettings, input: Input, requester: Requester) {
  const { system, messages } = input;
  if (Object.hasOwn(of.schemas, 'system')) await check('system', system ?? {});
  for (const { content } of messages) {
    for (const block of content) if (block.type === 'template') await check(block.name, block.arguments);
  }

  async function check(name: string, value: unknown): Promise<void> {
    const schema = Object.hasOwn(of.schemas, name) ? of.schemas[name] : undefined;
    if (schema === undefined) return;
    const place = await checks.violation(toJson(schema), toJson(value), requester).catch(() => {
      requester.signal.throwIfAborted();
      throw invalidInput(`The schema of ${name} cannot be used, or the check of its arguments takes too long.`);
    });
    if (place !== null) throw invalidInput(`JSON Schema validation failed for the arguments of ${name}, at ${place}.`);
  }
}

/** The parameters of a chat in OpenAI's form. Those of the request take precedence over those of the variant. */
function parameterFields(
  ofVariant: Parameters,
  ofRequest: Partial<Parameters>,
  schema: unknown,
): Record<string, unknown> {
  const set = (values: object) => Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  const merged = Object.fromEntries([...set(ofVariant), ...set(ofRequest)]) as Partial<Parameters>;
  const { json_mode: mode, stop_sequences: stop, ...rest } = merged;
  return { ...rest, ...(stop ? { stop } : {}), ...formatOf(schema, mode ?? 'strict') };
}

/** An answer that must have a schema is generated with it; the mode `tool` would get the same by a call of a tool. */
function formatOf(schema: unknown, mode: NonNullable<Parameters['json_mode']>): Record<string, unknown> {
  if (mode === 'off' || schema === null) return {};
  if (mode === 'on') return { response_format: { type: 'json_object' } };
  if (typeof schema === 'boolean') return { response_format: { type: 'json_object' } };
  return { response_format: { type: 'json_schema', json_schema: { name: 'response', strict: true, schema } } };
}

function chatOf(fields: Record<string, unknown>): ChatRequest {
  const sent = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'model'));
  return validate(chatRequest, parseJson(toJson(sent), { keep: keepTreeOf(chatRequest) }), 'body');
}

/** In `attributes.tensorzero` of the call. */
function factsOf(request: InferenceRequest, episodeId: string, schema: unknown): Record<string, unknown> {
  const { target, tags, sentInput } = request;
  return {
    ...(target.kind === 'function' ? { function_name: target.name } : { model_name: target.name }),
    ...{ variant_name: null, episode_id: episodeId, tags, input: sentInput },
    ...(schema === null ? {} : { output_schema: schema }),
  };
}

async function parsedIf(checks: AnswerChecks, schema: unknown, raw: string, requester: Requester): Promise<unknown> {
  try {
    const place = await checks.violation(toJson(schema), raw, requester);
    return place === null ? parsePlain(raw) : null;
  } catch {
    requester.signal.throwIfAborted();
    return null;
  }
}

async function calledTool(
  checks: AnswerChecks,
  tools: Tool[],
  { name, raw }: { name: string; raw: string },
  requester: Requester,
) {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return { name: null, arguments: null };
  return { name, arguments: await parsedIf(checks, tool.parameters, raw, requester) };
}
