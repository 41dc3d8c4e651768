import { parseRawEvent, parseRawSpan } from './parse-raw-span.ts';
import { type RawEvent, type RawSpan, toMicros } from './raw-span.ts';
import { writeEvent } from './write-raw-span.ts';

/** A span with its separately sent events, in order of their times; null if it has all of them, or cannot be read. */
export function withEvents(otelDump: string, events: { traceId: string; event: string }[]): RawSpan | null {
  const span = parseRawSpan(otelDump);
  if (span === null) return null;
  const known = new Set(span.events.map(writeEvent));
  const added = events.flatMap((stored): RawEvent[] => {
    const event = stored.traceId === span.traceId ? parseRawEvent(stored.event) : null;
    return event === null || known.has(writeEvent(event)) ? [] : [event];
  });
  if (added.length === 0) return null;
  return { ...span, events: [...span.events, ...added].sort((a, b) => toMicros(a.time) - toMicros(b.time)) };
}
