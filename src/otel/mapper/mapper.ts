import { isInt64 } from '../../domain/calls/storable.ts';
import { JsonNumber } from '../../util/json/lossless.ts';
import type { RawSpan } from '../raw-span.ts';
import { plainText, type Tree, type TreeObject, valueAt, wholeNumber, writeMembers } from '../tree.ts';
import { attributesToShow, modelOf, recognisedAttributes } from './attributes-of.ts';
import { usageCounts } from './convention.ts';
import { exceptionOf } from './exception.ts';
import { findFirst, sourcesOf } from './find.ts';
import { opIdOf, shortenedDisplayName } from './op-name.ts';
import { inputsOf, outputOf } from './payloads.ts';
import { placeOf } from './place.ts';
import { threadOf } from './thread.ts';
import { timesOf } from './times.ts';
import { type Usage, usageOf } from './usage.ts';

/** To be raised with every change of what a span becomes: calls of older versions can then be derived again. */
export const mapperVersion = 1;

/** What a span says of the call it is. Plain values all, so that it can be sent between threads. */
export type MappedSpan = {
  id: string;
  traceId: string;
  parentId: string;
  threadId: string;
  turnId: string;
  /** The op object the call belongs to. */
  opId: string;
  displayName: string;
  startedAt: number;
  /** Null while the span runs: there is then only the start of a call. */
  endedAt: number | null;
  exception: string;
  /** Payloads as JSON text. */
  attributes: string;
  inputs: string;
  output: string;
  summary: string;
  /** A run without its project; empty where none is named. */
  run: string;
  /** Digits. */
  runStep: string | null;
  runStepEnd: string | null;
};

/** Derives a call from a span alone, so that it can be derived again from the span as it was stored. */
export function mapSpan(span: RawSpan): MappedSpan {
  const inputs = inputsOf(span);
  const output = outputOf(span);
  const usage = usageOf(span);
  const recognised = recognisedAttributes(span);
  const isUnderstood = recognised.size > 0 || inputs !== null || output !== null || usage !== null;
  return {
    id: span.spanId,
    ...placeOf(span),
    ...threadOf(span),
    opId: opIdOf(span.name),
    displayName: displayNameOf(span),
    ...timesOf(span),
    exception: exceptionOf(span),
    attributes: writeMembers(attributesToShow(span, recognised, isUnderstood)),
    inputs: inputs ?? '{}',
    output: output ?? '{}',
    summary: summaryOf(usage, recognised),
    ...runOf(span),
  };
}

const displayNames = sourcesOf(({ displayName }) => displayName);

function displayNameOf(span: RawSpan): string {
  const found = findFirst(span, displayNames);
  const name = plainText(found?.value);
  return name === span.name ? '' : shortenedDisplayName(name);
}

/** Always one entry of usage, with every count: null for those not told. */
function summaryOf(usage: Usage | null, recognised: TreeObject): string {
  const counts = usageCounts.map((name) => `"${name}":${usage?.[name] ?? null}`);
  return `{"usage":{${JSON.stringify(modelOf(recognised) || 'usage')}:{${counts.join(',')}}}}`;
}

function runOf({ attributes }: RawSpan): Pick<MappedSpan, 'run' | 'runStep' | 'runStepEnd'> {
  const at = (name: string): Tree | undefined => valueAt(attributes.tree, ['wandb', name]);
  const run = plainText(at('wb_run_id'));
  return {
    run: /[/:]/.test(run) ? '' : run,
    runStep: stepOf(at('wb_run_step')),
    runStepEnd: stepOf(at('wb_run_step_end')),
  };
}

/** The digits of a step; null for what is none, and for a number that rounds or that the store does not hold. */
function stepOf(value: Tree | undefined): string | null {
  const digits = exactDigits(value) ?? wholeNumber(value)?.toString() ?? '';
  return isInt64(digits) && !digits.startsWith('-') ? digits : null;
}

function exactDigits(value: Tree | undefined): string | null {
  const text = value instanceof JsonNumber ? value.text : typeof value === 'string' ? value.trim() : '';
  return /^\d{1,19}$/.test(text) ? String(BigInt(text)) : null;
}
