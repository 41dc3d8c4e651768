import { invalidInput } from '../util/failures.ts';
import { JsonText } from '../util/json/json-text.ts';
import { isObject } from '../util/json/own-member.ts';
import { parseJson } from '../util/json/parse.ts';
import { parseTimestamp } from '../util/timestamp.ts';
import type { ImportItem, ReadRecord } from './item.ts';
import { otlpAttributes } from './otlp-attributes.ts';
import { scoreFeedback } from './score-feedback.ts';

type Members = Record<string, unknown>;

/**
 * Spans and annotations of Phoenix: of its REST API and client (`get_spans`, pages with `data`, also as OTLP), and the
 * rows of `get_spans_dataframe`. A span is mapped to a call as if it had been sent by OpenTelemetry.
 */
export const readPhoenixRecord: ReadRecord = (text, target) => read(parseJson(text, { keepsDigits: true }), target);

function read(record: unknown, target: { project: string }): ImportItem[] {
  if (!isObject(record)) throw invalidInput('not a record of Phoenix: it is not an object');
  if (Array.isArray(record.data)) return record.data.flatMap((each) => read(each, target));
  if (isObject(record.result) && typeof record.span_id === 'string') return [annotation(record, target)];
  if (Array.isArray(record.attributes)) return [{ kind: 'span', span: inCamelCase(record) as object }];
  return [{ kind: 'span', span: toSpan(record) }];
}

function toSpan(record: Members): object {
  const context = isObject(record.context) ? record.context : {};
  const traceId = text(context.trace_id ?? record['context.trace_id']);
  const spanId = text(context.span_id ?? record['context.span_id']);
  if (!traceId || !spanId)
    throw invalidInput('not a record of Phoenix: context.trace_id and context.span_id are required');
  const attributes = { ...columnsOf(record), ...(isObject(record.attributes) ? record.attributes : {}) };
  const kind = text(record.span_kind);
  return {
    traceId,
    spanId,
    parentSpanId: text(record.parent_id) ?? '',
    name: text(record.name) ?? 'span',
    startTimeUnixNano: nanosOf('start_time', record.start_time),
    endTimeUnixNano: nanosOf('end_time', record.end_time ?? record.start_time),
    attributes: otlpAttributes(kind === null ? attributes : { 'openinference.span.kind': kind, ...attributes }),
    events: (Array.isArray(record.events) ? record.events : []).filter(isObject).map((event) => ({
      name: text(event.name) ?? 'event',
      timeUnixNano: nanosOf('timestamp', event.timestamp ?? record.start_time),
      attributes: otlpAttributes(isObject(event.attributes) ? event.attributes : {}),
    })),
    status: { code: statusCodes[text(record.status_code) ?? ''] ?? 0, message: text(record.status_message) ?? '' },
  };
}

const statusCodes: Record<string, number> = { OK: 1, ERROR: 2 };

/** A data frame has a column for each group of attributes. */
function columnsOf(record: Members): Members {
  const begin = 'attributes.';
  const columns = Object.entries(record).filter(([name, value]) => name.startsWith(begin) && value !== null);
  return Object.fromEntries(columns.map(([name, value]) => [name.slice(begin.length), value]));
}

function annotation(record: Members, target: { project: string }): ImportItem {
  const { label, score, explanation } = record.result as Members;
  const createdAt = typeof record.created_at === 'string' ? parseTimestamp(record.created_at) : null;
  const { annotator_kind, metadata, identifier } = record;
  const payload = { output: score ?? label, label, score, explanation, annotator_kind, metadata, identifier };
  const { id = `${record.span_id}/${record.name}/${identifier}` } = record;
  const of = { id: String(id), type: `phoenix.${record.name}`, callId: String(record.span_id) };
  return scoreFeedback({ ...of, payload, createdAt }, target);
}

function nanosOf(name: string, sent: unknown): string {
  const value = plainNumber(sent);
  const time = typeof value === 'string' || typeof value === 'number' ? parseTimestamp(value) : null;
  if (time === null) throw invalidInput(`${name} is not a time: ${JSON.stringify(value)?.slice(0, 60)}`);
  return `${time}000`;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function plainNumber(value: unknown): unknown {
  return value instanceof JsonText ? Number(value.text) : value;
}

/** Phoenix computes nanoseconds in floating point, which is off by some hundreds. */
function wholeMicros(nanos: unknown): string {
  return `${Math.round(Number(plainNumber(nanos)) / 1000)}000`;
}

/** Phoenix writes the fields of OTLP as `string_value`, and all that are not set as null. */
function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (!isObject(value) || value instanceof JsonText) return value;
  const members = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(
    members.map(([name, each]) => {
      const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return [camel, camel.endsWith('UnixNano') ? wholeMicros(each) : inCamelCase(each)];
    }),
  );
}
