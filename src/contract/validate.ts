import type { z } from 'zod';
import { type ValidationDetail, ValidationError } from '../util/failures.ts';
import { JsonText } from '../util/json/json-text.ts';
import { boundFindings, findingsMax } from './bound-findings.ts';

/**
 * Parses untyped input with its schema, once, when it enters the server.
 * @throws ValidationError whose details have Pydantic's types, with `where` (`body`, `path`, `query`) first in `loc`,
 * and at most {@link findingsMax} entries.
 */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.output<Schema> {
  const result = boundFindings(schema).safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new ValidationError(firstDetails(result.error.issues as Issue[], where));
}

function firstDetails(issues: Issue[], where: string): ValidationDetail[] {
  const found: ValidationDetail[] = [];
  for (const issue of issues) {
    found.push(...details(issue, [where]));
    if (found.length >= findingsMax) break;
  }
  return found.slice(0, findingsMax);
}

type Issue = z.core.$ZodIssue & { params?: { type?: string }; errors?: Issue[][]; keys?: string[] };

function details(issue: Issue, prefix: (string | number)[]): ValidationDetail[] {
  const loc = [...prefix, ...issue.path.map((step) => (typeof step === 'number' ? step : shortened(String(step))))];
  // For a union, report the member that came closest: the one with the fewest findings.
  if (issue.code === 'invalid_union' && issue.errors && issue.errors.length > 0) {
    const closest = issue.errors.reduce((best, each) => (each.length < best.length ? each : best));
    if (closest.length > 0) return closest.flatMap((each) => details(each, loc));
  }
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).slice(0, findingsMax).map((key) => ({
      type: 'extra_forbidden',
      loc: [...loc, shortened(key)],
      msg: 'Extra inputs are not permitted',
    }));
  }
  const [type, msg] = describe(issue);
  return [{ type, loc, msg, ...(type === 'missing' ? {} : { input: shown(issue.input) }) }];
}

const expectations: Record<string, [type: string, msg: string]> = {
  string: ['string_type', 'Input should be a valid string'],
  number: ['float_type', 'Input should be a valid number'],
  int: ['int_type', 'Input should be a valid integer'],
  boolean: ['bool_type', 'Input should be a valid boolean'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['dict_type', 'Input should be a valid dictionary'],
  record: ['dict_type', 'Input should be a valid dictionary'],
};

function describe(issue: Issue): [type: string, msg: string] {
  switch (issue.code) {
    case 'custom':
      return [issue.params?.type ?? 'value_error', issue.message];
    case 'invalid_type':
      if (issue.input === undefined) return ['missing', 'Field required'];
      return expectations[issue.expected] ?? ['value_error', issue.message];
    case 'invalid_value':
      return ['literal_error', `Input should be ${issue.values.map((value) => `'${String(value)}'`).join(' or ')}`];
    case 'too_small':
      return ['greater_than_equal', issue.message];
    case 'too_big':
      return ['less_than_equal', issue.message];
    default:
      return ['value_error', issue.message];
  }
}

/** The found value, shortened: a response should not contain a large payload. */
function shown(input: unknown): unknown {
  if (input instanceof JsonText) return `${input.kind}`;
  if (typeof input === 'string') return shortened(input);
  if (Array.isArray(input)) return [];
  return typeof input === 'object' && input !== null ? {} : input;
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
