import { isInt64 } from '../../domain/calls/storable.ts';
import type { Fees } from '../../domain/usage/fees.ts';
import { JsonNumber } from '../../util/json/lossless.ts';
import type { RawSpan } from '../raw-span.ts';
import { plainText, type Tree, type TreeObject, valueAt, wholeNumber, writeMembers } from '../tree.ts';
import { asMembers, attributesToShow, modelOf, recognisedAttributes } from './attributes-of.ts';
import { asBegun } from './begun.ts';
import { usageCounts } from './convention.ts';
import { failureOf } from './exception.ts';
import { findFirst, sourcesOf } from './find.ts';
import { totalAsInput } from './include-in-usage.ts';
import { isRequestToModel, kindOf } from './kind.ts';
import type { MappedSpan } from './mapped-span.ts';
import { opIdOf, shortenedDisplayName } from './op-name.ts';
import { titleOf } from './op-title.ts';
import { findInputs, findOutput, inputsOf, outputOf } from './payloads.ts';
import { placeOf } from './place.ts';
import { isRecordOfRequest } from './record-of-request.ts';
import { providerOf, tracerOf } from './reporter.ts';
import { feesOfSpan, termsOf } from './request-terms.ts';
import { mayBeStep } from './step.ts';
import { threadOf } from './thread.ts';
import { timesOf } from './times.ts';
import { toolNameOf } from './tool-name.ts';
import { type FoundUsage, usageOf } from './usage.ts';

/** Increment with every change to what a span becomes: calls made by older versions can then be converted again. */
export const mapperVersion = 5;

/** Converts a span to a call, from the span alone, so that it can be repeated from the stored span. */
export function mapSpan(sent: RawSpan): MappedSpan {
  const span = asBegun(sent);
  const kind = kindOf(span);
  const foundInputs = findInputs(span, kind?.kind ?? null);
  const foundOutput = findOutput(span, kind?.kind ?? null);
  const usage = kind?.kind === 'embedding' ? totalAsInput(usageOf(span)) : usageOf(span);
  const recognised: TreeObject = new Map(asMembers(recognisedAttributes(span)));
  const isUnderstood =
    recognised.size > 0 || foundInputs !== null || foundOutput !== null || usage !== null || !!kind?.source;
  const attributes = attributesToShow(span, recognised, isUnderstood);
  if (kind && !attributes.has('kind')) attributes.set('kind', kind.kind);
  if (kind?.kind === 'tool' && !attributes.has('tool_name')) attributes.set('tool_name', toolNameOf(span).name);
  const isRecord = usage !== null && isRecordOfRequest(span);
  const isSum = isRecord || (usage !== null && kind !== null && !isRequestToModel(kind.kind));
  const summary = usage === null ? noUsage(modelOf(recognised)) : summaryOf(usage, span, modelOf(recognised));
  return {
    id: span.spanId,
    ...placeOf(span),
    ...threadOf(span),
    opId: opIdOf(titleOf(span)),
    displayName: displayNameOf(span),
    ...timesOf(span),
    exception: failureOf(span)?.message ?? '',
    attributes: writeMembers(attributes),
    inputs: inputsOf(span, kind?.kind ?? null, foundInputs) ?? '{}',
    output: outputOf(kind?.kind ?? null, foundOutput) ?? '{}',
    summary: isSum ? noUsage(modelOf(recognised)) : summary,
    summaryAlone: isSum ? summary : '',
    isRecord,
    isCounted: usage !== null && !isSum,
    kind: kind?.kind ?? '',
    mayBeStep: kind === null && !attributes.has('kind') && mayBeStep(span),
    ...runOf(span),
  };
}

const displayNames = sourcesOf(({ displayName }) => displayName);

function displayNameOf(span: RawSpan): string {
  const found = findFirst(span, displayNames);
  const name = plainText(found?.value);
  return name === span.name ? '' : shortenedDisplayName(name);
}

/** Always one entry of usage, with every count that Weave has: null for those not reported. */
function noUsage(model: string): string {
  return writeUsage(
    model,
    countsOfWeave.map((name) => `"${name}":null`),
  );
}

/** The counts and who reports them, which decides what they cost and whether they are reported twice. */
function summaryOf({ usage, ignored }: FoundUsage, span: RawSpan, model: string): string {
  const provider = providerOf(span);
  const tracer = tracerOf(span);
  return writeUsage(model, [
    ...countsOfWeave.map((name) => `"${name}":${usage[name]}`),
    ...countsBeside.filter((name) => usage[name] !== null).map((name) => `"${name}":${usage[name]}`),
    ...(ignored.length > 0 ? [`"ignored_counts":${JSON.stringify(ignored)}`] : []),
    ...feesText(feesOfSpan(span)),
    ...termsOf(span).map(([term, word]) => `"${term}":${JSON.stringify(word)}`),
    ...(provider === '' ? [] : [`"provider":${JSON.stringify(provider)}`]),
    ...(tracer === '' ? [] : [`"tracer":${JSON.stringify(tracer)}`]),
  ]);
}

/** Searches, under the name in Anthropic's API. */
function feesText(fees: Fees | null): string[] {
  return [
    ...(fees?.web_searches ? [`"server_tool_use":{"web_search_requests":${fees.web_searches}}`] : []),
    ...(fees?.other_fees ? [`"other_fees":${fees.other_fees}`] : []),
  ];
}

function writeUsage(model: string, members: string[]): string {
  return `{"usage":{${JSON.stringify(model || 'usage')}:{${members.join(',')}}}}`;
}

const countsBeside = usageCounts.slice(usageCounts.indexOf('reasoning_tokens'));
const countsOfWeave = usageCounts.filter((name) => !countsBeside.includes(name));

function runOf({ attributes }: RawSpan): Pick<MappedSpan, 'run' | 'runStep' | 'runStepEnd'> {
  const at = (name: string): Tree | undefined => valueAt(attributes.tree, ['wandb', name]);
  const run = plainText(at('wb_run_id'));
  return {
    run: /[/:]/.test(run) ? '' : run,
    runStep: stepOf(at('wb_run_step')),
    runStepEnd: stepOf(at('wb_run_step_end')),
  };
}

/** The digits of a step; null if it is not one, or if it would be rounded or cannot be stored. */
function stepOf(value: Tree | undefined): string | null {
  const digits = exactDigits(value) ?? wholeNumber(value)?.toString() ?? '';
  return isInt64(digits) && !digits.startsWith('-') ? digits : null;
}

function exactDigits(value: Tree | undefined): string | null {
  const text = value instanceof JsonNumber ? value.text : typeof value === 'string' ? value.trim() : '';
  return /^\d{1,19}$/.test(text) ? String(BigInt(text)) : null;
}
