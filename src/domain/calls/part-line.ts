import type { CallRow, EndFields, Micros, StartFields } from './call-row.ts';
import type { CallPart } from './part.ts';

/**
 * What the order of the parts of a call and its place depend on, without payloads. Parts of a call that reach several processes
 * are merged in the order of their numbers, whoever merges them.
 */
export type PartLine = {
  number: number;
  /** The process that received it. */
  process: string;
  /** Every part with this number or a smaller one was visible before this one was. */
  settledBefore: number;
  /** `withdrawn` takes back another part of the same process, whose number is its value. */
  kind: CallPart['kind'] | 'withdrawn';
  /** The time of a start; null for parts without one. */
  startedAt: Micros | null;
  endedAt: Micros | null;
  traceId: string;
  /** The trace of an exported span, see `CallWrite`. */
  spanTraceId: string;
  mapperVersion: number;
  yieldsToSdk: boolean;
  /** A name, a mark, the id of a parent, or the number that is withdrawn. */
  value: string;
};

/** The fields that a start or an end brings. */
export type PartContent = { start?: StartFields; end?: EndFields };

type Origin = Pick<PartLine, 'number' | 'process' | 'settledBefore' | 'spanTraceId' | 'yieldsToSdk'>;

export function partLine(part: CallPart, origin: Origin): PartLine {
  const { start, end } = contentOfPart(part);
  return {
    ...origin,
    kind: part.kind,
    startedAt: start?.startedAt ?? null,
    endedAt: end?.endedAt ?? null,
    traceId: start?.traceId ?? '',
    mapperVersion: start?.mapperVersion ?? 0,
    value: markOf(part),
  };
}

/** Takes a part back: its sender stores it elsewhere. */
export function withdrawal(line: PartLine, number: number): PartLine {
  const nothing = {
    startedAt: null,
    endedAt: null,
    traceId: '',
    spanTraceId: '',
    mapperVersion: 0,
    yieldsToSdk: false,
  };
  return { ...line, ...nothing, number, kind: 'withdrawn', value: String(line.number) };
}

export function contentOfPart(part: CallPart): PartContent {
  return {
    ...('start' in part ? { start: part.start } : {}),
    ...('end' in part ? { end: part.end } : {}),
  };
}

/** The fields of a row that came with its start, or with its end. */
export function contentOfRow(row: CallRow): PartContent {
  const { traceId, parentId, threadId, turnId, opName, displayName, startedAt, attributes, inputs, otelDump } = row;
  const { mapperVersion, inputRefs, wbUserId, wbRunId, wbRunStep } = row;
  const { endedAt, exception, output, summary, outputRefs, wbRunStepEnd } = row;
  const start = {
    ...{ traceId, parentId, threadId, turnId, opName, displayName, startedAt, attributes, inputs, otelDump },
    ...{ mapperVersion, inputRefs, wbUserId, wbRunId, wbRunStep },
  };
  const end = endedAt === null ? {} : { end: { endedAt, exception, output, summary, outputRefs, wbRunStepEnd } };
  return { ...(row.isStarted ? { start } : {}), ...end };
}

function markOf(part: CallPart): string {
  switch (part.kind) {
    case 'rename':
      return part.displayName;
    case 'parent':
      return part.parentId;
    case 'topmost':
      return part.isTopmost ? '1' : '';
    case 'repeated':
      return part.isRepeated ? '1' : '';
    default:
      return '';
  }
}
