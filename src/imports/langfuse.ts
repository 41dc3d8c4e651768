import { invalidInput } from '../util/failures.ts';
import { isObject } from '../util/json/own-member.ts';
import { parseJson, parsePlain } from '../util/json/parse.ts';
import { toJson } from '../util/json/write.ts';
import type { ImportItem, ImportTarget, ReadRecord } from './item.ts';
import { scoreFeedback } from './score-feedback.ts';
import { asObject, callIdFor, type Members, member, textAt, timeAt, traceIdFor } from './values.ts';

/**
 * Traces, observations and scores of Langfuse: from exports of the web page and to blob storage (`trace_id`), and from
 * the public API (`traceId`), whose traces contain their observations and scores. A trace becomes the root call above
 * its observations; scores become feedback.
 */
export const readLangfuseRecord: ReadRecord = (text, target) => {
  const members = parseJson(text, { keep: { '*': true } }) as Members;
  const page = listAt(members, 'data');
  if (page !== null) return page.flatMap((each) => readLangfuseRecord(each, target));
  if (textAt(members, 'id') === null) throw invalidInput('not a record of Langfuse: id is required');
  if (member(members, 'value', 'stringValue', 'string_value') !== null && textAt(members, 'name') !== null) {
    return [score(members, target)];
  }
  if (textAt(members, 'traceId', 'trace_id') !== null) return observation(members);
  const nested = ['observations', 'scores']
    .flatMap((name) => listAt(members, name) ?? [])
    .filter((each) => each.startsWith('{'));
  return [trace(members), ...nested.flatMap((each) => readLangfuseRecord(each, target))];
};

function listAt(members: Members, name: string): string[] | null {
  const found = member(members, name);
  if (found?.kind !== 'array') return null;
  return (parseJson(found.text, { keep: { '*': true } }) as { text: string }[]).map(({ text }) => text);
}

function trace(members: Members): ImportItem {
  const id = textAt(members, 'id')!;
  const startedAt = timeAt(members, 'timestamp', 'createdAt', 'created_at');
  if (startedAt === null) throw invalidInput('a trace without a timestamp');
  const latency = Number(textAt(members, 'latency') ?? 0);
  const about = ['userId', 'user_id', 'tags', 'release', 'version', 'environment', 'public', 'bookmarked'];
  const call = {
    ...rootOf(id, textAt(members, 'name'), startedAt),
    threadId: textAt(members, 'sessionId', 'session_id') || null,
    inputs: asObject(unpacked(members, 'input'), 'input').text,
    attributes: attributesOf(members, about, { id, type: 'TRACE' }),
    endedAt: startedAt + (latency > 0 ? Math.round(latency * 1e6) : 0),
    output: unpacked(members, 'output')?.text ?? null,
    summary: '{}',
  };
  return { kind: 'call', call };
}

function rootOf(traceId: string, name: string | null, startedAt: number) {
  const id = callIdFor(traceId);
  return {
    id,
    traceId: traceIdFor(traceId),
    opName: opNameOf(name, 'trace'),
    startedAt,
    inputs: '{}',
    attributes: '{}',
  };
}

function observation(members: Members): ImportItem[] {
  const id = textAt(members, 'id')!;
  const traceId = textAt(members, 'traceId', 'trace_id')!;
  const startedAt = timeAt(members, 'startTime', 'start_time');
  if (startedAt === null) throw invalidInput('an observation without a start time');
  const type = (textAt(members, 'type') ?? 'SPAN').toUpperCase();
  const parent = textAt(members, 'parentObservationId', 'parent_observation_id') || traceId;
  const isFailed = textAt(members, 'level') === 'ERROR';
  const about = [
    ...['level', 'version', 'environment', 'promptId', 'prompt_id', 'promptName', 'prompt_name', 'promptVersion'],
    ...['prompt_version', 'completionStartTime', 'completion_start_time', 'costDetails', 'cost_details'],
  ];
  const model = textAt(members, 'model', 'providedModelName', 'provided_model_name') || null;
  const parameters = unpacked(members, 'modelParameters') ?? unpacked(members, 'model_parameters');
  const more = {
    id,
    type,
    ...(model === null ? {} : { model }),
    ...(parameters === null ? {} : { model_parameters: parameters }),
  };
  const call = {
    id: callIdFor(id),
    traceId: traceIdFor(traceId),
    parentId: callIdFor(parent),
    opName: opNameOf(textAt(members, 'name'), type.toLowerCase()),
    startedAt,
    inputs: asObject(unpacked(members, 'input'), 'input').text,
    attributes: attributesOf(members, about, more, kinds[type]),
    endedAt: timeAt(members, 'endTime', 'end_time') ?? startedAt,
    output: unpacked(members, 'output')?.text ?? null,
    exception: isFailed ? (textAt(members, 'statusMessage', 'status_message') ?? 'error') : null,
    summary: toJson(usageOf(members, model)),
  };
  return [
    { kind: 'parent', call: rootOfObservation(members, traceId, startedAt, call.endedAt) },
    { kind: 'call', call },
  ];
}

/** Newer exports have no traces; each observation has the fields of its trace. */
function rootOfObservation(members: Members, traceId: string, startedAt: number, endedAt: number) {
  const { metadata: _, ...others } = members;
  const about = ['userId', 'user_id', 'tags', 'release', 'environment'];
  return {
    ...rootOf(traceId, textAt(members, 'traceName', 'trace_name'), startedAt),
    threadId: textAt(members, 'sessionId', 'session_id') || null,
    attributes: attributesOf(others, about, { id: traceId, type: 'TRACE' }),
    endedAt,
    summary: '{}',
  };
}

const kinds: Record<string, string> = {
  GENERATION: 'llm',
  EMBEDDING: 'embedding',
  AGENT: 'agent',
  TOOL: 'tool',
  CHAIN: 'chain',
  RETRIEVER: 'retriever',
  EVALUATOR: 'evaluator',
  GUARDRAIL: 'guardrail',
};

function score(members: Members, target: ImportTarget): ImportItem {
  const about = textAt(members, 'observationId', 'observation_id') || textAt(members, 'traceId', 'trace_id');
  if (about === null) throw invalidInput('a score without a trace');
  const text = textAt(members, 'stringValue', 'string_value');
  const number = member(members, 'value');
  const payload = {
    output: text ?? number,
    ...(text === null || number === null ? {} : { value: number }),
    data_type: textAt(members, 'dataType', 'data_type') ?? undefined,
    comment: textAt(members, 'comment') ?? undefined,
    source: textAt(members, 'source') ?? undefined,
    metadata: member(members, 'metadata') ?? undefined,
    langfuse_id: textAt(members, 'id')!,
  };
  const createdAt = timeAt(members, 'timestamp', 'createdAt', 'created_at');
  const type = `langfuse.${textAt(members, 'name')}`;
  return scoreFeedback({ id: textAt(members, 'id')!, type, callId: callIdFor(about), payload, createdAt }, target);
}

/** Exports to files contain inputs, outputs and metadata as JSON inside strings. */
function unpacked(members: Members, name: string) {
  const found = member(members, name);
  if (found?.kind !== 'string') return found;
  const text: string = JSON.parse(found.text);
  if (!/^\s*[[{]/.test(text)) return found;
  try {
    return parseJson(text, { keep: true }) as typeof found;
  } catch {
    return found;
  }
}

function attributesOf(members: Members, names: string[], langfuse: object, kind?: string): string {
  const given = names.flatMap((name) => {
    const value = member(members, name);
    return value === null ? [] : [[inSnakeCase(name), value]];
  });
  const metadata = unpacked(members, 'metadata');
  return toJson({
    ...(kind === undefined ? {} : { kind }),
    ...(metadata === null ? {} : { metadata }),
    langfuse: { ...langfuse, ...Object.fromEntries(given) },
  });
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `usageDetails` count by kind of token; older exports have `usage` or three fields. */
function usageOf(members: Members, model: string | null): object {
  const details = unpackedObject(members, 'usageDetails', 'usage_details');
  const usage = unpackedObject(members, 'usage');
  const find = (...names: string[]) => names.map((name) => details[name] ?? usage[name]).find(isCount);
  const own = (...names: string[]) => {
    const number = Number(textAt(members, ...names) ?? Number.NaN);
    return isCount(number) ? number : undefined;
  };
  const input = find('input', 'prompt_tokens', 'input_tokens', 'promptTokens') ?? own('promptTokens', 'prompt_tokens');
  const output =
    find('output', 'completion_tokens', 'output_tokens', 'completionTokens') ??
    own('completionTokens', 'completion_tokens');
  const total = find('total', 'total_tokens', 'totalTokens') ?? own('totalTokens', 'total_tokens');
  const cached = find('input_cached_tokens', 'cache_read_input_tokens', 'input_cache_read');
  const written = find('cache_creation_input_tokens', 'input_cache_creation');
  const reasoning = find('output_reasoning_tokens', 'output_reasoning', 'reasoning_tokens');
  if (model === null || (input === undefined && output === undefined && total === undefined)) return {};
  const counts = {
    prompt_tokens: sumOfKind(details, 'input', total) ?? input,
    completion_tokens: sumOfKind(details, 'output', total) ?? output,
    total_tokens: total,
  };
  const more = {
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(written === undefined ? {} : { cache_creation_input_tokens: written }),
    ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
  return { usage: { [model]: { requests: 1, ...counts, ...more } } };
}

/**
 * Langfuse counts each kind of token separately. Adds up those whose names contain `input` or `output`; undefined if
 * `input` and `output` alone are the total, and for other names.
 */
function sumOfKind(details: Record<string, unknown>, kind: 'input' | 'output', total?: number): number | undefined {
  const { input = 0, output = 0 } = details;
  if (!isCount(details[kind]) || total === Number(input) + Number(output)) return undefined;
  return Object.entries(details).reduce(
    (sum, [name, value]) => sum + (name.includes(kind) && isCount(value) ? value : 0),
    0,
  );
}

function unpackedObject(members: Members, ...names: string[]): Record<string, unknown> {
  for (const name of names) {
    const found = unpacked(members, name);
    const value = found && parsePlain(found.text);
    if (isObject(value)) return value;
  }
  return {};
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

const opNameCharactersMax = 128;

function opNameOf(name: string | null, otherwise: string): string {
  return [...(name || otherwise)].slice(0, opNameCharactersMax).join('');
}
