import type { NewEnd, NewStart } from '../../domain/calls/new-call.ts';
import { formatPolicyName } from '../../domain/policies/name.ts';
import type { Input } from '../../domain/tensorzero/input.ts';
import { chatOpName } from '../../services/completions/own/own-chat.ts';
import { isObject } from '../../util/json/own-member.ts';
import { toJson } from '../../util/json/write.ts';
import { idIn, jsonIn, mapIn, numberIn, requiredText, textIn, timeOf } from './columns.ts';
import { assistantMessage, completionOf, jsonMessage, storedInput } from './messages.ts';
import type { Columns } from './tables.ts';

type Call = NewStart & NewEnd;

/** Renders an input as the variant of a function did. */
export type Render = (of: { functionName: string; variantName: string; input: Input }) => Promise<unknown[]>;

/** Columns with a place of their own in the call; the others are attributes. */
const placed = new Set([
  'id',
  'input',
  'output',
  'episode_id',
  'function_name',
  'variant_name',
  'tags',
  'timestamp',
  'created_at',
]);

/** A row of `ChatInference` or `JsonInference` as the call that heddle would have recorded. @throws Failure */
export async function callOfInference(columns: Columns, project: string, render: Render): Promise<Call> {
  const id = idIn(columns, 'id');
  const episodeId = idIn(columns, 'episode_id');
  const [functionName, variantName] = [requiredText(columns, 'function_name'), requiredText(columns, 'variant_name')];
  const startedAt = timeOf(columns, id);
  const isJson = Object.hasOwn(columns, 'output_schema');
  const sent = jsonIn(columns, 'input');
  const messages = await render({ functionName, variantName, input: storedInput(sent) });
  const output = jsonIn(columns, 'output');
  const model = formatPolicyName({ project, name: functionName });
  const message = isJson ? jsonMessage(output) : assistantMessage(output);
  const more = Object.keys(columns).filter(
    (name) => !placed.has(name) && columns[name] !== null && columns[name] !== '',
  );
  const facts = {
    ...{ function_name: functionName, variant_name: variantName, episode_id: episodeId },
    ...{ tags: mapIn(columns, 'tags'), input: sent, imported: true },
    ...Object.fromEntries(more.map((name) => [name, jsonColumns.has(name) ? jsonIn(columns, name) : columns[name]])),
  };
  return {
    ...{ id, traceId: id, threadId: episodeId, turnId: id, opName: chatOpName, startedAt },
    inputs: toJson({ model, messages, ...parametersIn(columns) }),
    attributes: toJson({ tensorzero: facts }),
    endedAt: startedAt + (numberIn(columns, 'processing_time_ms') ?? 0) * 1000,
    output: toJson(completionOf({ id, model, message, startedAt })),
    summary: '{}',
  };
}

const jsonColumns = new Set([
  'inference_params',
  'tool_params',
  'output_schema',
  'extra_body',
  'auxiliary_content',
  'allowed_tools',
]);

/** As in requests in OpenAI's form. */
function parametersIn(columns: Columns): Record<string, unknown> {
  const params = jsonIn(columns, 'inference_params');
  const chat = isObject(params) && isObject(params.chat_completion) ? params.chat_completion : {};
  const { stop_sequences: stop, json_mode: _, ...rest } = chat;
  const set = Object.entries(rest).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(set), ...(Array.isArray(stop) ? { stop } : {}) };
}

/** A row of `ModelInference` as a call below its inference. @throws Failure */
export function callOfModelInference(columns: Columns): Call {
  const id = idIn(columns, 'id');
  const parentId = idIn(columns, 'inference_id');
  const model = requiredText(columns, 'model_name');
  const startedAt = timeOf(columns, id);
  const [prompt, completion] = [numberIn(columns, 'input_tokens'), numberIn(columns, 'output_tokens')];
  const counted = prompt === null || completion === null ? {} : countsOf(prompt, completion);
  const input = { system: textIn(columns, 'system'), messages: jsonIn(columns, 'input_messages') ?? [] };
  const messages = [
    ...(input.system === null ? [] : [{ role: 'system', content: input.system }]),
    ...plainMessages(input.messages),
  ];
  const names = [
    'model_provider_name',
    'raw_request',
    'raw_response',
    'response_time_ms',
    'ttft_ms',
    'cached',
    'cost',
    'finish_reason',
  ];
  const facts = Object.fromEntries(
    names.filter((name) => columns[name] !== undefined).map((name) => [name, columns[name]]),
  );
  const message = assistantMessage(jsonIn(columns, 'output'));
  return {
    ...{ id, traceId: parentId, parentId, opName: 'tensorzero.model_inference', startedAt },
    inputs: toJson({ model, messages }),
    attributes: toJson({ kind: 'llm', tensorzero: { ...facts, imported: true } }),
    endedAt: startedAt + (numberIn(columns, 'response_time_ms') ?? 0) * 1000,
    output: toJson(completionOf({ id, model, message, finish: textIn(columns, 'finish_reason'), startedAt })),
    summary: toJson({ usage: { [model]: { requests: 1, ...counted } } }),
  };
}

function countsOf(prompt: number, completion: number) {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** What the model got: texts, calls and results of tools. */
function plainMessages(messages: unknown): unknown[] {
  return (Array.isArray(messages) ? messages : []).filter(isObject).flatMap(({ role, content }): unknown[] => {
    const blocks = (Array.isArray(content) ? content : []).filter(isObject);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    const own = blocks.filter(({ type }) => type !== 'tool_result');
    return [
      ...results.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
      ...(own.length > 0 ? [{ ...assistantMessage(own), role }] : []),
    ];
  });
}
