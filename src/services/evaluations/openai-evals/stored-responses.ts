import { messagesOfItems } from '../../../chat/responses/messages-of-items.ts';
import { responseOpName } from '../../../chat/responses/recorded.ts';
import type { DataSource } from '../../../contract/openai-eval-runs/data-source.ts';
import type { InputItem } from '../../../contract/responses/items.ts';
import { sampleOfMessage } from '../../../domain/graders/sample.ts';
import { rowsMax } from '../../../domain/openai-evals/check-data-source.ts';
import { Failure } from '../../../util/failures.ts';
import { isObject, ownMember } from '../../../util/json/own-member.ts';
import type { Calls } from '../../calls/calls.ts';
import type { Owner } from '../../owner.ts';
import { type Responses, storedResponse } from '../../responses/responses.ts';
import type { StoredResponse } from '../../responses/stored-response.ts';
import { startedWithin } from './started-within.ts';

type Source = Extract<DataSource['source'], { type: 'responses' }>;
type Wanted = Omit<Source, 'metadata'> & { metadata: Record<string, unknown> };
type Services = { calls: Pick<Calls, 'query'>; responses: Pick<Responses, 'input'> };

/**
 * The matching stored responses of a project, newest first, as rows with the members `item` (the conversation as
 * messages) and `sample` (the answer). Responses that failed are left out.
 * @param metadata further metadata that they must have
 */
export async function* storedResponseRows(
  { calls, responses }: Services,
  source: Source,
  metadata: Record<string, unknown>,
  { project, caller }: Owner,
): AsyncGenerator<string> {
  const wanted = { ...source, metadata: { ...metadata, ...source.metadata } };
  const pages = await calls.query({
    project,
    filter: { op_names: [responseOpName, `weave:///${project.name}/op/${responseOpName}:*`] },
    query: startedWithin(source),
    sortBy: [{ field: 'started_at', direction: 'desc' }],
    columns: new Set([
      ...(['id', 'op_name', 'attributes', 'inputs', 'output', 'started_at', 'ended_at', 'thread_id'] as const),
    ]),
  });
  let left = rowsMax;
  for await (const page of pages) {
    for (const { call } of page) {
      const stored = storedResponse(call, project);
      if (stored === null || !isAnswered(stored) || !matches(stored, wanted)) continue;
      const row = rowOf(stored, await responses.input(caller, stored));
      if (row === null) continue;
      yield JSON.stringify(row);
      if (--left === 0) return;
    }
  }
}

function isAnswered({ body }: StoredResponse): boolean {
  return body.status === 'completed' || body.status === 'incomplete';
}

function matches({ request, body }: StoredResponse, wanted: Wanted): boolean {
  const { model, instructions_search: text, users, tools } = wanted;
  const instructions = (request.instructions ?? '').toLowerCase();
  return (
    (!model || model === request.model || model === body.model) &&
    (!text || instructions.includes(text.toLowerCase())) &&
    (!users?.length || users.includes(request.user ?? '')) &&
    (!tools?.length || (request.tools ?? []).some((tool) => tools.includes(nameOf(tool)))) &&
    isSame(wanted.reasoning_effort, request.reasoning?.effort) &&
    isSame(wanted.temperature, body.temperature) &&
    isSame(wanted.top_p, body.top_p) &&
    Object.entries(wanted.metadata).every(([name, value]) => ownMember(request.metadata, name) === value)
  );
}

function isSame<Value>(wanted: Value | null | undefined, found: unknown): boolean {
  return wanted === null || wanted === undefined || wanted === found;
}

function nameOf(tool: unknown): string {
  const name = ownMember(tool, 'name');
  return typeof name === 'string' ? name : '';
}

/** @returns null for a conversation with items that a chat cannot have */
function rowOf({ id, request, body }: StoredResponse, input: InputItem[]) {
  try {
    const output = outputMessage(body.output as InputItem[]);
    const { instructions = null, tools = [], metadata = {} } = request;
    const { model } = body;
    const item = { id, model, input: messagesOfItems(instructions, input), output, instructions };
    return {
      item: { ...item, tools, metadata, created_at: body.created_at },
      sample: { model, input_tools: tools, ...sampleOfMessage(output) },
    };
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

/** The output of a response, as the message of a chat. */
function outputMessage(items: InputItem[]) {
  const messages = messagesOfItems(null, items).filter(({ role }) => role === 'assistant');
  const text = messages.flatMap(({ content }) => textsOf(content)).join('');
  const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? []);
  return { role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

function textsOf(content: InputItem['content']): string[] {
  if (typeof content === 'string') return [content];
  return (content ?? []).flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []));
}
