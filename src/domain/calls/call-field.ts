import { unacceptable } from '../../util/failures.ts';
import { type FeedbackOnCall, parseFeedbackOnCall } from '../feedback/field-on-call.ts';
import { type PathStep, parseFieldPath } from '../query/field-path.ts';
import { payloadNames, plainNames } from './answer-fields.ts';
import { queueIdField } from './queue-membership.ts';

/** The value of a call that a field path in a query or sort refers to. */
export type CallField =
  | { kind: 'column'; name: CallColumn }
  | { kind: 'json'; column: PayloadColumn; path: PathStep[] }
  /** Below `attributes.otel_span`: in the span if the call was created from one, otherwise in its attributes. */
  | { kind: 'span'; path: PathStep[]; inAttributes: PathStep[] }
  | { kind: 'computed'; name: ComputedField }
  | { kind: 'feedback'; place: FeedbackOnCall };

export type CallColumn = (typeof callColumns)[number];
export type PayloadColumn = (typeof payloadNames)[number];
export type ComputedField = (typeof computedFields)[number];

/** @throws Failure for a field that calls do not have or that is not supported yet. */
export function resolveCallField(path: string): CallField {
  if (path.startsWith('feedback.')) return { kind: 'feedback', place: parseFeedbackOnCall(path) };
  const [{ key: root }, ...steps] = parseFieldPath(path) as [PathStep, ...PathStep[]];
  if (root === 'annotation_queue_items') throw unacceptable(`${queueIdField} goes with $eq and the id of one queue`);
  const payload = payloadNames.find((column) => column === root);
  if (payload === 'summary' && steps[0]?.key === 'weave') return resolveComputed(path, steps);
  if (payload === 'attributes' && steps[0]?.key === 'otel_span') {
    return { kind: 'span', path: steps.slice(1), inAttributes: steps };
  }
  if (payload) return { kind: 'json', column: payload, path: steps };
  const column = callColumns.find((name) => name === root);
  if (column && steps.length === 0) return { kind: 'column', name: column };
  throw unacceptable(`Unknown field ${path}. Allowed are ${allowed}`);
}

/** The location in a payload that a path refers to; null if the path is not in a payload. */
export function resolvePayloadPath(path: string): { column: PayloadColumn; path: PathStep[] } | null {
  const [{ key: root }, ...steps] = parseFieldPath(path) as [PathStep, ...PathStep[]];
  const column = payloadNames.find((name) => name === root);
  return column ? { column, path: steps } : null;
}

const callColumns = [...plainNames, 'input_refs', 'output_refs', 'otel_dump'] as const;

const computedFields = ['status', 'latency_ms', 'trace_name'] as const;
const computed = computedFields.map((name) => `summary.weave.${name}`);
const allowed = [
  ...callColumns,
  ...payloadNames.map((column) => `${column}[.path]`),
  ...computed,
  queueIdField,
  'feedback.[TYPE].payload[.path]',
].join(', ');

function resolveComputed(path: string, [, ...steps]: PathStep[]): CallField {
  const name = computedFields.find((field) => field === steps[0]?.key);
  if (name === undefined || steps.length > 1) {
    throw unacceptable(`Unknown field ${path}. Computed fields are ${computed.join(', ')}`);
  }
  return { kind: 'computed', name };
}
