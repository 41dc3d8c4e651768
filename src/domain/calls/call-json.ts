import { type LosslessJson, parseLossless, stringifyLossless } from '../../util/json/lossless.ts';
import type { Preview } from '../conversations/preview.ts';
import type { CostsJson } from '../prices/costs-json.ts';
import { parseRef } from '../refs.ts';
import { type AnswerField, answerFields, type PlainField, type WriteField } from './answer-fields.ts';
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
  const isSelected = (name: AnswerField) => columns === null || (columns as ReadonlySet<string>).has(name);
  const others: Record<OtherField, string | undefined> = {
    attributes: isSelected('attributes') ? attributesJson(call) : '{}',
    inputs: isSelected('inputs') ? call.inputs : '{}',
    output: isSelected('output') ? call.output || 'null' : 'null',
    summary: withMember(isSelected('summary') ? call.summary : '{}', 'weave', (known) =>
      weaveJson(call, known, extras),
    ),
    wb_username: username === undefined ? undefined : JSON.stringify(username),
    storage_size_bytes: String(call.storageSizeBytes),
    total_storage_size_bytes: String(call.totalStorageSizeBytes),
    preview: preview === undefined ? undefined : JSON.stringify(preview),
  };
  const members: string[] = [];
  for (const [name, json] of fields) {
    const text = json === null ? others[name as OtherField] : isSelected(name) ? json(call, projectName) : 'null';
    if (text !== undefined) members.push(`"${name}":${text}`);
  }
  return `{${members.join(',')}}`;
}

type OtherField = Exclude<AnswerField, PlainField>;
const fields = Object.entries(answerFields) as [AnswerField, WriteField | null][];

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
