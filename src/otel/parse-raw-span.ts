import { JsonDepthError, JsonSyntaxError } from '../util/json/errors.ts';
import { JsonNumber, type LosslessObject, parseLossless } from '../util/json/lossless.ts';
import { parseTimestamp } from '../util/timestamp.ts';
import type { Attributes, SentAs } from './attributes.ts';
import type { RawEvent, RawLink, RawSpan, SpanKind, StatusCode } from './raw-span.ts';
import { EmbeddedJson, type Tree, type TreeObject, valueAt, wholeNumber, writeTree } from './tree.ts';

/**
 * Reads what `writeRawSpan` wrote. Also reads Weave's own form, which clients may send with a call and which has no
 * exact times. Null for JSON that is not a span.
 */
export function parseRawSpan(json: string): RawSpan | null {
  const fields = parseObject(json);
  if (fields === null) return null;
  const span: RawSpan = {
    name: text(fields, 'name'),
    traceId: text(fields, 'context', 'trace_id'),
    spanId: text(fields, 'context', 'span_id'),
    traceState: text(fields, 'context', 'trace_state'),
    parentId: text(fields, 'parent_id'),
    flags: count(fields, 'flags'),
    kind: text(fields, 'kind') as SpanKind, // as written
    startTime: time(fields, 'start_time'),
    endTime: time(fields, 'end_time'),
    status: { code: text(fields, 'status', 'code') as StatusCode, message: text(fields, 'status', 'message') },
    attributes: attributes(fields),
    droppedAttributesCount: count(fields, 'dropped_attributes_count'),
    events: objects(fields, 'events').map(readEvent),
    droppedEventsCount: count(fields, 'dropped_events_count'),
    links: objects(fields, 'links').map(readLink),
    droppedLinksCount: count(fields, 'dropped_links_count'),
    scope: embedded(fields, 'scope'),
    resource: embedded(fields, 'resource'),
  };
  return span.traceId !== '' && span.spanId !== '' && fields.has('start_time') ? span : null;
}

/** Reads what `writeEvent` wrote; null for other JSON. */
export function parseRawEvent(json: string): RawEvent | null {
  const fields = parseObject(json);
  return fields && readEvent(fields);
}

function parseObject(json: string): TreeObject | null {
  try {
    const value = parseLossless(json);
    return value instanceof Map ? value : null;
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonDepthError) return null;
    throw error;
  }
}

function readEvent(fields: TreeObject): RawEvent {
  const at = fields.get('timestamp');
  return {
    name: text(fields, 'name'),
    time: at instanceof JsonNumber && at.isInteger ? BigInt(at.text) : 0n,
    attributes: attributes(fields),
    droppedAttributesCount: count(fields, 'dropped_attributes_count'),
  };
}

function readLink(fields: TreeObject): RawLink {
  return {
    traceId: text(fields, 'trace_id'),
    spanId: text(fields, 'span_id'),
    traceState: text(fields, 'trace_state'),
    flags: count(fields, 'flags'),
    attributes: attributes(fields),
    droppedAttributesCount: count(fields, 'dropped_attributes_count'),
  };
}

function attributes(fields: TreeObject): Attributes {
  const tree = fields.get('attributes');
  const sentAs = fields.get('sent_as');
  return {
    tree: tree instanceof Map ? tree : new Map(),
    sentAs: sentAs instanceof Map ? (sentAs as Map<string, SentAs>) : new Map(), // as written
  };
}

function text(fields: TreeObject, ...path: string[]): string {
  const value = valueAt(fields, path);
  return typeof value === 'string' ? value : '';
}

function count(fields: TreeObject, key: string): number {
  return wholeNumber(fields.get(key)) ?? 0;
}

function time(fields: TreeObject, key: 'start_time' | 'end_time'): bigint {
  const exact = text(fields, `${key}_unix_nano`);
  if (/^\d+$/.test(exact)) return BigInt(exact);
  return BigInt(parseTimestamp(text(fields, key)) ?? 0) * 1000n;
}

function objects(fields: TreeObject, key: string): LosslessObject[] {
  const list = fields.get(key);
  return Array.isArray(list) ? (list.filter((each: Tree) => each instanceof Map) as LosslessObject[]) : [];
}

function embedded(fields: TreeObject, key: string): EmbeddedJson | null {
  const value = fields.get(key);
  return value instanceof Map ? new EmbeddedJson(writeTree(value)) : null;
}
