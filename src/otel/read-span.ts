import { readAttributes } from './attributes.ts';
import type { ResourceSpans, ScopeSpans, Span, Span_Event, Span_Link } from './proto/otlp.generated.ts';
import { type RawEvent, type RawLink, type RawSpan, spanKinds, statusCodes } from './raw-span.ts';
import { EmbeddedJson } from './tree.ts';
import { attributeMembers, countMember, textMember, writeObject } from './write-raw-span.ts';

/** The common data of the spans of one resource and scope. */
export type SpanContext = { resource: EmbeddedJson | null; scope: EmbeddedJson | null; redacts: boolean };

/** A span that cannot become a call. */
export class InvalidSpanError extends Error {}

/** @throws InvalidSpanError for invalid ids and times. */
export function readSpan(span: Span, { resource, scope, redacts }: SpanContext): RawSpan {
  return {
    name: span.name,
    traceId: hexId(span.traceId, 16, 'trace_id'),
    spanId: hexId(span.spanId, 8, 'span_id'),
    traceState: span.traceState,
    parentId: isZero(span.parentSpanId) ? '' : hexId(span.parentSpanId, 8, 'parent_span_id'),
    flags: span.flags,
    kind: spanKinds[span.kind] ?? `${span.kind}`,
    startTime: time(span.startTimeUnixNano, 'start_time_unix_nano'),
    endTime: time(span.endTimeUnixNano, 'end_time_unix_nano'),
    status: {
      code: statusCodes[span.status?.code ?? 0] ?? `${span.status?.code ?? 0}`,
      message: span.status?.message ?? '',
    },
    attributes: readAttributes(span.attributes, redacts),
    droppedAttributesCount: span.droppedAttributesCount,
    events: span.events.map((event) => readEvent(event, redacts)),
    droppedEventsCount: span.droppedEventsCount,
    links: span.links.map((link) => readLink(link, redacts)),
    droppedLinksCount: span.droppedLinksCount,
    resource,
    scope,
  };
}

/** The resource in the form that is repeated in each of its spans. */
export function readResource({ resource, schemaUrl }: ResourceSpans, redacts: boolean): EmbeddedJson | null {
  if (!resource) return null;
  const entities = resource.entityRefs.map(({ schemaUrl: schema_url, type, idKeys, descriptionKeys }) => ({
    schema_url,
    type,
    id_keys: idKeys,
    description_keys: descriptionKeys,
  }));
  return new EmbeddedJson(
    writeObject([
      ...attributeMembers(readAttributes(resource.attributes, redacts)),
      `"dropped_attributes_count":${resource.droppedAttributesCount}`,
      textMember('schema_url', schemaUrl),
      entities.length > 0 ? `"entity_refs":${JSON.stringify(entities)}` : '',
    ]),
  );
}

export function readScope({ scope, schemaUrl }: ScopeSpans, redacts: boolean): EmbeddedJson | null {
  if (!scope && schemaUrl === '') return null;
  return new EmbeddedJson(
    writeObject([
      textMember('name', scope?.name ?? ''),
      textMember('version', scope?.version ?? ''),
      ...(scope?.attributes.length ? attributeMembers(readAttributes(scope.attributes, redacts)) : []),
      countMember('dropped_attributes_count', scope?.droppedAttributesCount ?? 0),
      textMember('schema_url', schemaUrl),
    ]),
  );
}

function readEvent({ name, timeUnixNano, attributes, droppedAttributesCount }: Span_Event, redacts: boolean): RawEvent {
  return { name, time: timeUnixNano, attributes: readAttributes(attributes, redacts), droppedAttributesCount };
}

/** A link's ids are not checked: it may point to spans that are not stored. */
function readLink(link: Span_Link, redacts: boolean): RawLink {
  return {
    traceId: Buffer.from(link.traceId).toString('hex'),
    spanId: Buffer.from(link.spanId).toString('hex'),
    traceState: link.traceState,
    flags: link.flags,
    attributes: readAttributes(link.attributes, redacts),
    droppedAttributesCount: link.droppedAttributesCount,
  };
}

function hexId(bytes: Uint8Array, length: number, what: string): string {
  if (bytes.length === length && !isZero(bytes)) return Buffer.from(bytes).toString('hex');
  const found = bytes.length === length ? 'all zero' : `${bytes.length} bytes`;
  throw new InvalidSpanError(`Invalid ${what}: it must be ${length} bytes that are not all zero (found ${found}).`);
}

/** Times of spans are unsigned; the stores reach to the year 2255. */
function time(nanoseconds: bigint, what: string): bigint {
  if (nanoseconds >= 0n && nanoseconds < timeEnd) return nanoseconds;
  const bound = nanoseconds < 0n ? 'must not be negative' : 'must lie before the year 2200';
  throw new InvalidSpanError(`Invalid ${what}: it ${bound} (found ${String(nanoseconds).slice(0, 40)}).`);
}

const timeEnd = BigInt(Date.UTC(2200)) * 1_000_000n;

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
