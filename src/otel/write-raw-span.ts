import { formatTimestamp } from '../util/timestamp.ts';
import type { Attributes } from './attributes.ts';
import { type RawEvent, type RawLink, type RawSpan, toMicros } from './raw-span.ts';
import { writeMembers } from './tree.ts';

/**
 * The span as JSON, as clients read it at `attributes.otel_span`: Weave's form, and beside it what that form would
 * lose: exact times, dropped counts, flags, scope, schemas, and in `sent_as` the attributes that were sent in another
 * form than shown. These are omitted if empty.
 */
export function writeRawSpan(span: RawSpan): string {
  return writeObject([
    `"name":${JSON.stringify(span.name)}`,
    `"context":{"trace_id":"${span.traceId}","span_id":"${span.spanId}","trace_state":${JSON.stringify(span.traceState)}}`,
    `"kind":"${span.kind}"`,
    `"parent_id":${span.parentId === '' ? 'null' : `"${span.parentId}"`}`,
    `"start_time":${isoTime(span.startTime)}`,
    `"end_time":${isoTime(span.endTime)}`,
    `"start_time_unix_nano":"${span.startTime}"`,
    `"end_time_unix_nano":"${span.endTime}"`,
    `"status":{"code":"${span.status.code}","message":${JSON.stringify(span.status.message)}}`,
    ...attributeMembers(span.attributes),
    countMember('dropped_attributes_count', span.droppedAttributesCount),
    `"events":[${span.events.map(writeEvent).join(',')}]`,
    countMember('dropped_events_count', span.droppedEventsCount),
    `"links":[${span.links.map(writeLink).join(',')}]`,
    countMember('dropped_links_count', span.droppedLinksCount),
    countMember('flags', span.flags),
    span.scope ? `"scope":${span.scope.text}` : '',
    `"resource":${span.resource?.text ?? 'null'}`,
  ]);
}

/** Empty texts are omitted. */
export function writeObject(members: string[]): string {
  return `{${members.filter((member) => member !== '').join(',')}}`;
}

export function attributeMembers({ tree, sentAs }: Attributes): string[] {
  return [`"attributes":${writeMembers(tree)}`, sentAs.size === 0 ? '' : `"sent_as":${writeMembers(sentAs)}`];
}

export function countMember(key: string, count: number): string {
  return count === 0 ? '' : `"${key}":${count}`;
}

export function textMember(key: string, text: string): string {
  return text === '' ? '' : `"${key}":${JSON.stringify(text)}`;
}

/** One event of a span, as it is in the span's own JSON. */
export function writeEvent({ name, time, attributes, droppedAttributesCount }: RawEvent): string {
  return writeObject([
    `"name":${JSON.stringify(name)}`,
    `"timestamp":${time}`,
    ...attributeMembers(attributes),
    `"dropped_attributes_count":${droppedAttributesCount}`,
  ]);
}

function writeLink(link: RawLink): string {
  return writeObject([
    `"trace_id":"${link.traceId}"`,
    `"span_id":"${link.spanId}"`,
    `"trace_state":${JSON.stringify(link.traceState)}`,
    ...attributeMembers(link.attributes),
    `"dropped_attributes_count":${link.droppedAttributesCount}`,
    `"flags":${link.flags}`,
  ]);
}

/** ISO 8601 in UTC without a zone; null for 0, which means not yet. */
function isoTime(nanoseconds: bigint): string {
  return nanoseconds === 0n ? 'null' : `"${formatTimestamp(toMicros(nanoseconds)).slice(0, -1)}"`;
}
