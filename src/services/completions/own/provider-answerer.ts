import type { OutputDelta } from '../../../chat/output/deltas.ts';
import {
  type ChoiceEvent,
  type GenerationEvent,
  type GenerationSettings,
  isChat,
  type TextGeneration,
} from '../../../chat/types.ts';
import type { ChatRequest } from '../../../contract/chat/request.ts';
import type { Transport } from '../../../providers/transport.ts';
import { unacceptable } from '../../../util/failures.ts';
import { isObject } from '../../../util/json/own-member.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import { streamChunks } from '../from-provider.ts';
import type { ModelRoute } from '../route.ts';
import type { Answerer } from './answerer.ts';

type ProviderRoute = Extract<ModelRoute, { kind: 'provider' }>;

/** A model of a provider. It answers chats; its tokens have no ids and no logprobs. */
export function providerAnswerer(transport: Transport, route: ProviderRoute, variant: string): Answerer {
  const model = { id: `provider ${route.baseUrl}`, name: route.model, adapter: null };
  return {
    ...{ variant, model, isForTraining: false },
    async generate({ body }, signal) {
      if (!isChat(body)) throw unacceptable(`${variant} is a model of a provider, which answers chats only.`);
      const chunks = await streamChunks(transport, { route, signal }, { model: route.model, ...parametersOf(body) });
      const settings = settingsOf(body);
      return { ...acceptedByProvider, model, settings, events: eventsOf(chunks, settings.n) };
    },
  };
}

/** What OpenAI's API knows of a chat. */
const passedOn = [
  ...['messages', 'frequency_penalty', 'logit_bias', 'max_tokens', 'max_completion_tokens', 'n', 'presence_penalty'],
  ...['response_format', 'seed', 'stop', 'temperature', 'top_p', 'user', 'tools', 'tool_choice'],
  ...['reasoning_effort', 'parallel_tool_calls'],
] as (keyof ChatRequest)[];

function parametersOf(body: ChatRequest): Record<string, unknown> {
  const isSet = (value: unknown) =>
    value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
  const set = passedOn.map((name) => [name, body[name]]).filter(([, value]) => isSet(value));
  const parameters = Object.fromEntries(set) as Record<string, unknown>;
  // Without tools, OpenAI's API rejects a choice.
  if (parameters.tools === undefined) delete parameters.tool_choice;
  return parameters;
}

function settingsOf(body: ChatRequest): GenerationSettings {
  return {
    temperature: body.temperature ?? 1,
    top_p: body.top_p ?? 1,
    top_k: 0,
    min_p: 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    presence_penalty: body.presence_penalty ?? 0,
    repetition_penalty: 1,
    n: body.n ?? 1,
    seed: body.seed,
    max_tokens: body.max_completion_tokens ?? body.max_tokens ?? 0,
    min_tokens: 0,
  };
}

/** A provider reports nothing of this. */
const acceptedByProvider = {
  promptIds: [],
  role: 'assistant',
  reasons: false,
  echoed: null,
  fingerprint: null,
  draws: 'provider',
  origin: {
    engine: { name: 'provider', version: null, arithmetic: null, threads: null, batchInvariant: null },
    digests: { weights: null, adapter: null, tokenizer: null, template: null },
  },
} satisfies Partial<TextGeneration>;

async function* eventsOf(chunks: AsyncIterable<string>, choices: number): AsyncGenerator<GenerationEvent> {
  yield { kind: 'prompt', cachedTokens: 0, promptLogprobs: null, echoedTokens: null };
  for await (const text of chunks) {
    const chunk: unknown = parsePlain(text);
    if (!isObject(chunk)) continue;
    for (const choice of Array.isArray(chunk.choices) ? chunk.choices : []) {
      const event = isObject(choice) ? choiceEvent(choice) : null;
      if (event !== null && event.index < choices) yield event;
    }
    const { prompt_tokens: prompt, completion_tokens: completion } = isObject(chunk.usage) ? chunk.usage : {};
    if (Number.isSafeInteger(prompt) && Number.isSafeInteger(completion))
      yield { kind: 'counted', prompt: prompt as number, completion: completion as number };
  }
}

const finishReasons = ['stop', 'length', 'tool_calls'] as const;

function choiceEvent({ index, delta, finish_reason: reason }: Record<string, unknown>): ChoiceEvent | null {
  const deltas = isObject(delta) ? deltasOf(delta) : [];
  if (deltas.length === 0 && typeof reason !== 'string') return null;
  const finishReason = finishReasons.find((each) => each === reason) ?? 'stop';
  return {
    ...{ kind: 'choice', ids: [], logprobs: [], drawnLogprobs: [], deltas },
    index: Number.isSafeInteger(index) ? (index as number) : 0,
    finish: typeof reason === 'string' ? { finishReason, stopReason: null } : null,
  };
}

function deltasOf({ content, reasoning, reasoning_content: older, tool_calls: calls }: Record<string, unknown>) {
  const deltas: OutputDelta[] = [];
  const reasoned = reasoning ?? older;
  if (typeof reasoned === 'string' && reasoned !== '') deltas.push({ kind: 'reasoning', text: reasoned });
  if (typeof content === 'string' && content !== '') deltas.push({ kind: 'content', text: content });
  for (const call of Array.isArray(calls) ? calls : []) {
    if (!isObject(call)) continue;
    const named = isObject(call.function) ? call.function : {};
    deltas.push({
      kind: 'tool_call',
      index: Number.isSafeInteger(call.index) ? (call.index as number) : 0,
      arguments: typeof named.arguments === 'string' ? named.arguments : '',
      ...(typeof call.id === 'string' ? { id: call.id } : {}),
      ...(typeof named.name === 'string' ? { name: named.name } : {}),
    });
  }
  return deltas;
}
