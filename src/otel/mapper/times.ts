import { JsonNumber } from '../../util/json/lossless.ts';
import { parseTimestamp } from '../../util/timestamp.ts';
import { type RawSpan, toMicros } from '../raw-span.ts';
import { type Tree, valueAt } from '../tree.ts';

/** When the call ran, in microseconds since 1970; its end is null while it runs. */
export function timesOf(span: RawSpan): { startedAt: number; endedAt: number | null } {
  const { tree } = span.attributes;
  return {
    startedAt: told(valueAt(tree, ['langfuse', 'startTime'])) ?? toMicros(span.startTime),
    endedAt: told(valueAt(tree, ['langfuse', 'endTime'])) ?? (span.endTime === 0n ? null : toMicros(span.endTime)),
  };
}

/** Langfuse's own times: ISO text, whole nanoseconds, or seconds with a fraction. */
function told(value: Tree | undefined): number | null {
  if (typeof value === 'string') return parseTimestamp(value);
  if (!(value instanceof JsonNumber)) return null;
  const micros = value.isInteger ? toMicros(BigInt(value.text)) : Math.round(Number(value.text) * 1e6);
  return Math.abs(micros) < microsMax ? micros : null;
}

const microsMax = 2 ** 53;
