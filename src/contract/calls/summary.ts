import { JsonText } from '../../util/json/json-text.ts';
import { JsonNumber, type LosslessJson, parseLossless, stringifyLossless } from '../../util/json/lossless.ts';
import { jsonObject } from '../wire.ts';

/** The token counts that a summary may contain for each model. */
export const usageCounts = [
  'prompt_tokens',
  'input_tokens',
  'completion_tokens',
  'output_tokens',
  'requests',
  'total_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
];
const statuses = ['success', 'error', 'running', 'descendant_error'];

/**
 * The summary of a call: free-form, except for `usage` (counts by model) and `status_counts`, whose numbers are
 * checked. Counts sent as text become numbers; everything else stays the text that was sent.
 */
export const summarySchema = jsonObject()
  .transform((summary, context) => {
    if (!(summary instanceof JsonText) || !/"(?:usage|status_counts)"/.test(summary.text)) return summary;
    const problems: Problem[] = [];
    const tree = parseLossless(summary.text) as LosslessObject;
    const changed = [checkUsage(tree, problems), checkStatusCounts(tree, problems)].includes(true);
    for (const { path, type, message } of problems) {
      context.addIssue({ code: 'custom', path, message, params: { type }, input: null });
    }
    return changed ? new JsonText(stringifyLossless(tree)) : summary;
  })
  .meta({
    id: 'SummaryInsertMap',
    type: 'object',
    additionalProperties: true,
    properties: {
      usage: {
        type: 'object',
        additionalProperties: {
          type: 'object',
          additionalProperties: true,
          properties: Object.fromEntries(
            usageCounts.map((name) => [name, { anyOf: [{ type: 'integer' }, { type: 'null' }] }]),
          ),
        },
      },
      status_counts: {
        type: 'object',
        propertyNames: { enum: statuses },
        additionalProperties: { type: 'integer' },
      },
    },
  });

type LosslessObject = Map<string, LosslessJson>;
type Problem = { path: string[]; type: string; message: string };

/** @returns whether a count was changed from text to a number. */
function checkUsage(summary: LosslessObject, problems: Problem[]): boolean {
  if (!summary.has('usage')) return false;
  const usage = summary.get('usage')!;
  if (!(usage instanceof Map)) return refuseNoObject(['usage'], problems);
  let changed = false;
  for (const [model, counts] of usage) {
    if (!(counts instanceof Map)) refuseNoObject(['usage', model], problems);
    else changed = readCounts(counts, usageCounts, ['usage', model], problems) || changed;
  }
  return changed;
}

function checkStatusCounts(summary: LosslessObject, problems: Problem[]): boolean {
  if (!summary.has('status_counts')) return false;
  const counts = summary.get('status_counts')!;
  if (!(counts instanceof Map)) return refuseNoObject(['status_counts'], problems);
  for (const status of counts.keys()) {
    if (statuses.includes(status)) continue;
    const message = `Input should be ${statuses.map((each) => `'${each}'`).join(', ')}`;
    problems.push({ path: ['status_counts', status, '[key]'], type: 'enum', message });
  }
  return readCounts(counts, statuses, ['status_counts'], problems);
}

function readCounts(counts: LosslessObject, names: string[], path: string[], problems: Problem[]): boolean {
  let changed = false;
  for (const name of names) {
    const value = counts.get(name);
    if (value === undefined || (isUnknown(value) && path[0] === 'usage')) continue;
    const count = readCount(value);
    if ('type' in count) problems.push({ path: [...path, name], ...count });
    else if (count.text !== (value as JsonNumber).text) {
      counts.set(name, new JsonNumber(count.text));
      changed = true;
    }
  }
  return changed;
}

/** Null, or what `NaN` and infinities become when a body is read. */
function isUnknown(value: LosslessJson): boolean {
  return value === null || (typeof value === 'string' && /^(NaN|-?Infinity)$/.test(value));
}

function readCount(value: LosslessJson): { text: string } | Omit<Problem, 'path'> {
  if (value instanceof JsonNumber) {
    const isTooLarge = !Number.isFinite(Number(value.text)); // rejected where it is stored, only for its call
    if (value.isInteger || isTooLarge) return { text: value.text };
    return Number.isInteger(Number(value.text))
      ? { text: BigInt(Number(value.text)).toString() }
      : { type: 'int_from_float', message: 'Input should be a valid integer, got a number with a fractional part' };
  }
  if (typeof value === 'boolean') return { text: value ? '1' : '0' };
  if (typeof value !== 'string') return { type: 'int_type', message: 'Input should be a valid integer' };
  return /^\s*[+-]?\d+\s*$/.test(value)
    ? {
        text: value
          .trim()
          .replace(/^\+/, '')
          .replace(/^(-?)0+(?=\d)/, '$1'),
      }
    : { type: 'int_parsing', message: 'Input should be a valid integer, unable to parse string as an integer' };
}

function refuseNoObject(path: string[], problems: Problem[]): false {
  problems.push({ path, type: 'dict_type', message: 'Input should be a valid dictionary' });
  return false;
}
