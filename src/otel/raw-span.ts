import type { Attributes } from './attributes.ts';
import type { EmbeddedJson } from './tree.ts';

/**
 * A complete span as it was sent: calls are made from it, and can be made again from its stored JSON. Ids are
 * lower-case hex, times nanoseconds since 1970. A count of 0, an empty text and null mean that nothing was sent.
 */
export type RawSpan = {
  name: string;
  traceId: string;
  spanId: string;
  traceState: string;
  /** Empty for the root of a trace. */
  parentId: string;
  flags: number;
  kind: SpanKind;
  startTime: bigint;
  /** 0 while the span runs. */
  endTime: bigint;
  status: { code: StatusCode; message: string };
  attributes: Attributes;
  droppedAttributesCount: number;
  events: RawEvent[];
  droppedEventsCount: number;
  links: RawLink[];
  droppedLinksCount: number;
  /** Serialized once for all spans that share it. */
  scope: EmbeddedJson | null;
  resource: EmbeddedJson | null;
};

export type RawEvent = { name: string; time: bigint; attributes: Attributes; droppedAttributesCount: number };

export type RawLink = {
  traceId: string;
  spanId: string;
  traceState: string;
  flags: number;
  attributes: Attributes;
  droppedAttributesCount: number;
};

/** By OpenTelemetry's numbers; other numbers are kept as digits. */
export const spanKinds = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'] as const;
export type SpanKind = (typeof spanKinds)[number] | `${number}`;

export const statusCodes = ['UNSET', 'OK', 'ERROR'] as const;
export type StatusCode = (typeof statusCodes)[number] | `${number}`;

/** Converts nanoseconds to the microseconds since 1970 that heddle stores, rounded. */
export function toMicros(nanoseconds: bigint): number {
  return Number((nanoseconds + 500n) / 1000n);
}
