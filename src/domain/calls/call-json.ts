import { type LosslessJson, parseLossless, stringifyLossless } from '../../util/json/lossless.ts';
import { formatTimestamp } from '../../util/timestamp.ts';
import type { Preview } from '../conversations/preview.ts';
import type { CostsJson } from '../prices/costs-json.ts';
import { parseRef } from '../refs.ts';
import type { AnswerColumn } from './columns.ts';
import type { FoundCall } from './found-call.ts';

/** JSON strings for `summary.weave` that come from rows other than the call's own. */
export type WeaveExtras = CostsJson & { feedback?: string };

/**
 * A call as clients see it, as JSON text. Payloads are inserted exactly as stored. Every field is present; fields that
 * were not selected are empty. The user's name is present only if it is given.
 */
export function callJson(
  call: FoundCall,
  projectName: string,
  columns: ReadonlySet<AnswerColumn> | null,
  username?: string,
  extras: WeaveExtras = {},
  preview?: Preview,
): string {
  const whenSelected = (column: AnswerColumn, json: string, empty = 'null') =>
    columns === null || columns.has(column) ? json : empty;
  const fields: Record<string, string> = {
    id: JSON.stringify(call.id),
    project_id: JSON.stringify(projectName),
    op_name: JSON.stringify(call.opName),
    display_name: whenSelected('display_name', textJson(call.displayName)),
    trace_id: JSON.stringify(call.traceId),
    parent_id: whenSelected('parent_id', textJson(call.parentId)),
    thread_id: whenSelected('thread_id', textJson(call.threadId)),
    turn_id: whenSelected('turn_id', textJson(call.turnId)),
    started_at: timeJson(call.startedAt),
    attributes: whenSelected('attributes', attributesJson(call), '{}'),
    inputs: whenSelected('inputs', call.inputs, '{}'),
    ended_at: whenSelected('ended_at', timeJson(call.endedAt)),
    exception: whenSelected('exception', textJson(call.exception)),
    output: whenSelected('output', call.output || 'null'),
    summary: withMember(whenSelected('summary', call.summary, '{}'), 'weave', (known) =>
      weaveJson(call, known, extras),
    ),
    wb_user_id: whenSelected('wb_user_id', textJson(call.wbUserId)),
    ...(username === undefined ? {} : { wb_username: JSON.stringify(username) }),
    wb_run_id: whenSelected('wb_run_id', textJson(call.wbRunId)),
    wb_run_step: whenSelected('wb_run_step', String(call.wbRunStep)),
    wb_run_step_end: whenSelected('wb_run_step_end', String(call.wbRunStepEnd)),
    deleted_at: 'null',
    expire_at: 'null',
    storage_size_bytes: String(call.storageSizeBytes),
    total_storage_size_bytes: String(call.totalStorageSizeBytes),
    ...(preview === undefined ? {} : { preview: JSON.stringify(preview) }),
  };
  return `{${Object.entries(fields)
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}`;
}

/** The display name of a call without its own: the name of its op. */
function traceName(opName: string): string {
  const ref = parseRef(opName);
  return ref?.kind === 'op' ? ref.name : opName;
}

function attributesJson({ attributes, otelDump }: FoundCall): string {
  return otelDump === '' ? attributes : withMember(attributes, 'otel_span', () => otelDump);
}

/** `summary.weave`: keeps what the client stored there, except for values that are computed from the call itself. */
function weaveJson(call: FoundCall, stored: LosslessJson | undefined, extras: WeaveExtras): string {
  const computed: Record<string, string> = { status: JSON.stringify(call.status) };
  if (call.endedAt !== null) computed.latency_ms = String(Math.floor((call.endedAt - call.startedAt) / 1000));
  if (call.displayName === '') computed.trace_name = JSON.stringify(traceName(call.opName));
  else computed.display_name = JSON.stringify(call.displayName);
  for (const [key, json] of Object.entries(extras)) computed[key] = json;
  const isKept = (key: string) => !computedKeys.has(key) && !Object.hasOwn(extras, key);
  const kept = stored instanceof Map ? [...stored].filter(([key]) => isKept(key)) : [];
  const members = [
    ...kept.map(([key, value]) => `${JSON.stringify(key)}:${stringifyLossless(value)}`),
    ...Object.entries(computed).map(([key, json]) => `"${key}":${json}`),
  ];
  return `{${members.join(',')}}`;
}

const computedKeys = new Set(['status', 'latency_ms', 'trace_name', 'display_name']);

/** Sets a member of an object given as JSON text. The text is parsed only if it may already contain the member. */
function withMember(object: string, key: string, write: (known: LosslessJson | undefined) => string): string {
  if (!object.includes(`"${key}"`)) {
    const separator = object === '{}' ? '' : ',';
    return `${object.slice(0, -1)}${separator}"${key}":${write(undefined)}}`;
  }
  const tree = parseLossless(object) as Map<string, LosslessJson>; // payloads of this kind are objects
  const members = [...tree]
    .filter(([name]) => name !== key)
    .map(([name, value]) => `${JSON.stringify(name)}:${stringifyLossless(value)}`);
  return `{${[...members, `"${key}":${write(tree.get(key))}`].join(',')}}`;
}

function textJson(text: string): string {
  return text === '' ? 'null' : JSON.stringify(text);
}

function timeJson(micros: number | null): string {
  return micros === null ? 'null' : JSON.stringify(formatTimestamp(micros));
}
