import { formatTimestamp } from '../../util/timestamp.ts';
import type { FoundCall } from './found-call.ts';

/**
 * The fields of an answered call in their order, under the names that clients use, and the JSON of each. Null for what
 * `callJson` writes: payloads, and what is not a field of the call alone. The others can be selected, filtered and sorted by.
 */
export const answerFields = {
  id: (call) => JSON.stringify(call.id),
  project_id: (_call, projectName) => JSON.stringify(projectName),
  op_name: (call) => JSON.stringify(call.opName),
  display_name: (call) => textJson(call.displayName),
  trace_id: (call) => JSON.stringify(call.traceId),
  parent_id: (call) => textJson(call.parentId),
  thread_id: (call) => textJson(call.threadId),
  turn_id: (call) => textJson(call.turnId),
  started_at: (call) => timeJson(call.startedAt),
  attributes: null,
  inputs: null,
  ended_at: (call) => timeJson(call.endedAt),
  exception: (call) => textJson(call.exception),
  output: null,
  summary: null,
  wb_user_id: (call) => textJson(call.wbUserId),
  wb_username: null,
  wb_run_id: (call) => textJson(call.wbRunId),
  wb_run_step: (call) => String(call.wbRunStep),
  wb_run_step_end: (call) => String(call.wbRunStepEnd),
  deleted_at: () => 'null',
  expire_at: () => 'null', // a deleted call is never seen, and calls do not expire
  storage_size_bytes: null,
  total_storage_size_bytes: null,
  preview: null,
} satisfies Record<string, WriteField | null>;

/** `projectName` is the project as clients name it. */
export type WriteField = (call: FoundCall, projectName: string) => string;

export type AnswerField = keyof typeof answerFields;
export type PlainField = {
  [Name in AnswerField]: (typeof answerFields)[Name] extends null ? never : Name;
}[AnswerField];

export const plainNames = (Object.keys(answerFields) as AnswerField[]).filter(
  (name): name is PlainField => answerFields[name] !== null,
);

export const payloadNames = ['attributes', 'inputs', 'output', 'summary'] as const;

function textJson(text: string): string {
  return text === '' ? 'null' : JSON.stringify(text);
}

function timeJson(micros: number | null): string {
  return micros === null ? 'null' : JSON.stringify(formatTimestamp(micros));
}
