import { readAttributes } from './attributes.ts';
import type { ExportLogsServiceRequest, KeyValue, LogRecord } from './proto/otlp.generated.ts';
import { type ResourceNames, resourceNames } from './read-export.ts';
import { writeEvent } from './write-raw-span.ts';

/**
 * The log records of an export that are span events. Other records, and those without a span, are only counted: heddle
 * does not store logs.
 */
export type ReadLogs = { groups: EventGroup[]; refused: number };

/** The events of one resource, and the project that the resource names. */
export type EventGroup = { resource: ResourceNames; events: SpanEvent[] };

/** An event that was sent separately from its span; `event` has the form of the events in the span's own JSON. */
type SpanEvent = { traceId: string; spanId: string; time: bigint; event: string };

export function readLogs({ resourceLogs }: ExportLogsServiceRequest, redacts: boolean): ReadLogs {
  let refused = 0;
  const groups = resourceLogs.map(({ resource, scopeLogs }): EventGroup => {
    const records = scopeLogs.flatMap(({ logRecords }) => logRecords);
    const events = records.flatMap((record) => readRecord(record, redacts) ?? []);
    refused += records.length - events.length;
    return { resource: resourceNames(resource?.attributes ?? []), events };
  });
  return { groups, refused };
}

function readRecord(record: LogRecord, redacts: boolean): SpanEvent | null {
  const name = record.eventName || textOf(record.attributes, 'event.name');
  const [traceId, spanId] = [record.traceId, record.spanId].map((id) => Buffer.from(id).toString('hex'));
  if (!name.startsWith('gen_ai.') || !isId(traceId!, 32) || !isId(spanId!, 16)) return null;
  const time = record.timeUnixNano || record.observedTimeUnixNano;
  const own = record.attributes.filter(({ key }) => key !== 'event.name');
  const attributes = readAttributes([...own, ...membersOf(record)], redacts);
  const { droppedAttributesCount } = record;
  return {
    traceId: traceId!,
    spanId: spanId!,
    time,
    event: writeEvent({ name, time, attributes, droppedAttributesCount }),
  };
}

/** The members of a body that is an object, where older conventions put a message; any other body as `body`. */
function membersOf({ body }: LogRecord): Pick<KeyValue, 'key' | 'value'>[] & KeyValue[] {
  const value = body?.value;
  if (value?.case === 'kvlistValue') return value.value.values;
  return value?.case === undefined ? [] : ([{ key: 'body', value: body }] as KeyValue[]);
}

function textOf(attributes: KeyValue[], key: string): string {
  const value = attributes.find((each) => each.key === key)?.value?.value;
  return value?.case === 'stringValue' ? value.value : '';
}

function isId(id: string, length: number): boolean {
  return id.length === length && /[^0]/.test(id);
}
