import { JsonNumber } from '../../util/json/lossless.ts';
import { isExactTime, parseTimestamp } from '../../util/timestamp.ts';
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

/** Langfuse's own times: ISO text, whole nanoseconds, or seconds with a fraction. Null for one that cannot be stored. */
function told(value: Tree | undefined): number | null {
  const micros = microsOf(value);
  return micros !== null && isExactTime(micros) ? micros : null;
}

function microsOf(value: Tree | undefined): number | null {
  if (typeof value === 'string') return parseTimestamp(value);
  if (!(value instanceof JsonNumber)) return null;
  if (!value.isInteger) return Math.round(Number(value.text) * 1e6);
  return value.text.length <= digitsMax ? toMicros(BigInt(value.text)) : null;
}

/** The maximum length of a 64-bit integer with its sign. */
const digitsMax = 20;
