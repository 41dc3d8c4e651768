import { createHash } from 'node:crypto';
import { resolveCallField } from '../../domain/calls/call-field.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import { canonicalJson } from '../../domain/digest/canonical-json.ts';
import { invalidInput } from '../../util/failures.ts';
import { parseLossless } from '../../util/json/lossless.ts';
import { isObject, ownMember } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { CallChat } from './chat-of-call.ts';

/** The group of a call: calls with the same key are compared. Null if the call does not have the field. */
export type GroupOf = (call: FoundCall, chat: CallChat) => string | null;

const columns = {
  id: 'id',
  trace_id: 'traceId',
  parent_id: 'parentId',
  thread_id: 'threadId',
  turn_id: 'turnId',
  op_name: 'opName',
  display_name: 'displayName',
  wb_run_id: 'wbRunId',
  wb_user_id: 'wbUserId',
} as const satisfies Record<string, keyof FoundCall>;

/** Calls with the same messages are a group, with `all` all calls, else those with the same value of a field. @throws Failure */
export function groupBy(wanted: string): GroupOf {
  if (wanted === 'prompt') return (_, { messages, tools }) => keyOf([messages.map(withoutEmpty), tools]);
  if (wanted === 'all') return () => '';
  const field = resolveCallField(wanted);
  if (field.kind === 'json') {
    return (call) => {
      const value = field.path.reduce(
        (found, { key }) => ownMember(found, key),
        parsePlain(call[field.column] || 'null'),
      );
      return value === undefined || value === null ? null : keyOf(value);
    };
  }
  const column = field.kind === 'column' ? columns[field.name as keyof typeof columns] : undefined;
  if (column === undefined) {
    const known = ['prompt', 'all', ...Object.keys(columns), 'inputs.PATH', 'attributes.PATH'];
    throw invalidInput(`Calls cannot be grouped by ${wanted}. Group them by ${known.join(', ')}.`);
  }
  return (call) => call[column] || null;
}

/** Clients differ in the empty members that they send. */
function withoutEmpty(message: object): object {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null && !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function keyOf(value: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(parseLossless(JSON.stringify(value))))
    .digest('base64');
}
