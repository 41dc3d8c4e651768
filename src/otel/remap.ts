import type { CallRow } from '../domain/calls/call-row.ts';
import { parseRef } from '../domain/refs.ts';
import { parseLossless, stringifyLossless } from '../util/json/lossless.ts';
import { isExactTime } from '../util/timestamp.ts';
import { asStored } from './mapper/as-stored.ts';
import type { MappedSpan } from './mapper/mapped-span.ts';
import { mapSpan } from './mapper/mapper.ts';
import { asStepAgain } from './mapper/step.ts';
import { parseRawSpan } from './parse-raw-span.ts';
import type { RawSpan } from './raw-span.ts';
import { plainText, valueAt } from './tree.ts';

/** Converts a call's stored span again, and lists the fields that change. */
export type Remapped = { call: MappedSpan; resourceRun: string; changes: FieldChange[] };
type FieldChange = { field: keyof MappedSpan; before: string; after: string };

/** The result of converting calls again. */
export type RemapReport = {
  /** Calls made by another version of the mapper, and how many of them change. */
  examined: number;
  changed: number;
  /** Calls whose span cannot be read, or whose result cannot be stored; they do not change. */
  unreadable: number;
  /** How many calls change in each field, and the first few changes. */
  fields: Record<string, number>;
  examples: (FieldChange & { callId: string })[];
};

/**
 * Null for a call whose stored span cannot be read: it must not keep other calls from being converted.
 * @param sumStands whether the sum that a span reports is of requests without calls of their own.
 */
export function deriveAgain(row: CallRow, sumStands: (call: MappedSpan) => boolean = () => false): Remapped | null {
  const span = parseRawSpan(row.otelDump);
  if (span === null) return null;
  const mapped = asStored(asStepAgain(mapSpan(span), row.attributes), row, span.traceId);
  if (!isExactTime(mapped.startedAt) || !isExactTime(mapped.endedAt ?? 0)) return null;
  const call = sumStands(mapped) ? { ...mapped, summary: mapped.summaryAlone } : mapped;
  const resourceRun = resourceRunOf(span);
  const before = fieldsOf(row);
  const changes = Object.keys(before).flatMap((name): FieldChange[] => {
    const field = name as keyof typeof before;
    const change = { field, before: shown(before[field]), after: shown(call[field]) };
    const isHidden = field === 'displayName' && row.isRenamed; // a person's choice is kept
    return change.before === change.after || isHidden ? [] : [change];
  });
  return { call, resourceRun, changes };
}

/** The run that the resource of a span names; empty if it names none. */
export function resourceRunOf({ resource }: RawSpan): string {
  return plainText(resource ? valueAt(new Map([['r', resource]]), runPath) : undefined);
}

const runPath = ['r', 'attributes', 'wandb', 'wb_run_id'];

function fieldsOf(row: CallRow) {
  const op = parseRef(row.opName);
  const { traceId, parentId, threadId, turnId, displayName, startedAt, endedAt, exception } = row;
  const { attributes, inputs, output, summary, wbRunStep: runStep, wbRunStepEnd: runStepEnd } = row;
  const opId = op?.kind === 'op' ? op.name : row.opName;
  const end = endedAt === null ? {} : { exception, output, summary, runStepEnd };
  const start = { traceId, parentId, threadId, turnId, opId, displayName, startedAt, attributes, inputs, runStep };
  return { ...start, endedAt, ...end };
}

/** Compares JSON by its values, not by how its strings are escaped. */
function shown(value: string | number | null | undefined): string {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return String(value ?? '');
  try {
    return stringifyLossless(parseLossless(value));
  } catch {
    return value;
  }
}
