import type { DataSource } from '../../../contract/openai-eval-runs/data-source.ts';
import { sampleOfMessage } from '../../../domain/graders/sample.ts';
import { rowsMax } from '../../../domain/openai-evals/check-data-source.ts';
import type { Operation } from '../../../domain/query/operation.ts';
import { isObject, ownMember } from '../../../util/json/own-member.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Calls } from '../../calls/calls.ts';
import type { Project } from '../../owner.ts';
import { startedWithin } from './started-within.ts';

type StoredCompletions = Extract<DataSource['source'], { type: 'stored_completions' }>;

/** The ops of calls that are chats with an answer in OpenAI's shape. */
const chatOps = ['heddle.chat.completions', 'weave.completions_create'];

/**
 * The matching recorded chats of a project, newest first, as rows with the members `item` (the request) and `sample`
 * (the answer). Chats without an answer are left out.
 */
export async function* storedChatRows(
  { calls }: { calls: Pick<Calls, 'query'> },
  source: StoredCompletions,
  metadata: Record<string, unknown>,
  project: Project,
): AsyncGenerator<string> {
  const wanted = { ...metadata, ...source.metadata };
  const pages = await calls.query({
    project,
    filter: { op_names: chatOps.flatMap((op) => [op, `weave:///${project.name}/op/${op}:*`]) },
    query: conditionsOf(source),
    sortBy: [{ field: 'started_at', direction: 'desc' }],
    columns: new Set(['id', 'inputs', 'output', 'exception', 'started_at', 'ended_at'] as const),
  });
  let left = source.limit ?? rowsMax;
  for await (const page of pages) {
    for (const { call } of page) {
      if (call.endedAt === null || call.exception) continue;
      const row = rowOf({ id: call.id, startedAt: call.startedAt, inputs: call.inputs, output: call.output });
      if (row === null || !hasMetadata(row.item.metadata, wanted)) continue;
      yield JSON.stringify(row);
      if (--left === 0) return;
    }
  }
}

function conditionsOf({ model, ...within }: StoredCompletions): Operation | null {
  const operands = [...(model ? [isEqual('inputs.model', model)] : []), ...(startedWithin(within)?.operands ?? [])];
  return operands.length === 0 ? null : { kind: 'and', operands };
}

function isEqual(path: string, value: string): Operation {
  return { kind: 'eq', left: { kind: 'field', path }, right: { kind: 'literal', literal: { type: 'string', value } } };
}

function hasMetadata(found: unknown, wanted: Record<string, unknown>): boolean {
  return Object.entries(wanted).every(([name, value]) => ownMember(found, name) === value);
}

function rowOf(call: { id: string; startedAt: number; inputs: string; output: string | null }) {
  const inputs: unknown = parsePlain(call.inputs);
  const choice = ownMember(ownMember(parsePlain(call.output || 'null'), 'choices'), '0');
  const message = ownMember(choice, 'message');
  if (!isObject(inputs) || !isObject(message)) return null;
  const { model = '', messages = [], tools = [], metadata = {} } = inputs;
  const created_at = Math.floor(call.startedAt / 1e6);
  return {
    item: { id: call.id, model, input: messages, output: message, tools, metadata, created_at },
    sample: { model, input_tools: tools, ...sampleOfMessage(message) },
  };
}
