import { CmpStr, type CmpStrResult } from 'cmpstr';
import type { RuleScorer } from '../../domain/evaluations/rule-scorer.ts';
import { compileSchema, schemaFault } from '../../domain/json-schema.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';

/** What a rule compares, as parsed JSON. `expected` is undefined if the row has no such column. */
export type Compared = { output: unknown; expected: unknown };

/** A rule that cannot be applied to these values, with the reason. */
export class RuleError extends Error {}

/** The rules that can be computed from the values alone. */
export type LocalRule = Omit<RuleScorer, 'rule'> & { rule: Exclude<RuleScorer['rule'], 'embedding_similarity'> };

/** Applies a rule. Patterns, schemas and long texts can take any time: this runs in a process with a time limit. */
export function applyRule(scorer: LocalRule, compared: Compared): unknown {
  switch (scorer.rule) {
    case 'exact_match':
      return isSame(compared.output, required(scorer, compared), scorer);
    case 'contains':
      return [required(scorer, compared)]
        .flat()
        .every((part) => textOf(compared.output, scorer).includes(textOf(part, scorer)));
    case 'regex':
      return matches(scorer, compared);
    case 'json_schema':
      return fulfillsSchema(scorer, compared);
    case 'numeric':
      return isClose(scorer, compared);
    case 'text_similarity':
      return withThreshold(similarity(scorer, compared), scorer);
    default:
      throw scorer.rule satisfies never;
  }
}

/** The score of a similarity. */
export function withThreshold(similarity: number, { threshold }: Pick<RuleScorer, 'threshold'>): unknown {
  return threshold === null ? similarity : { similarity, passed: similarity >= threshold };
}

export function required(
  { rule, column_map }: Pick<RuleScorer, 'rule' | 'column_map'>,
  { expected }: Compared,
): unknown {
  if (expected !== undefined) return expected;
  const column = column_map?.expected ?? 'expected';
  throw new RuleError(`The rule ${rule} needs an expected value, and the row has no column "${column}".`);
}

/** A value as text: strings as they are, others as JSON. */
export function textOf(value: unknown, { ignore_case, strip }: Pick<RuleScorer, 'ignore_case' | 'strip'>): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  const stripped = strip ? text.trim() : text;
  return ignore_case ? stripped.toLowerCase() : stripped;
}

/** Texts and scalars by their text, so that `"4"` equals `4`; objects and lists by their members. */
function isSame(a: unknown, b: unknown, options: LocalRule): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element, i) => isSame(element, b[i], options));
  }
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name], options))
    );
  }
  return textOf(a, options) === textOf(b, options);
}

function matches(scorer: LocalRule, compared: Compared): boolean {
  const pattern = scorer.pattern ?? required(scorer, compared);
  if (typeof pattern !== 'string') throw new RuleError('The expected value must be a regular expression, as a string.');
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, scorer.ignore_case ? 'iu' : 'u');
  } catch (error) {
    throw new RuleError(`The pattern is invalid: ${(error as Error).message}`);
  }
  return expression.test(textOf(compared.output, { ignore_case: false, strip: scorer.strip }));
}

function fulfillsSchema(scorer: LocalRule, compared: Compared): boolean {
  const schema = scorer.json_schema ?? required(scorer, compared);
  if (!isObject(schema)) throw new RuleError('The expected value must be a JSON Schema, as an object.');
  const fault = schemaFault(schema);
  if (fault !== null) throw new RuleError(`The JSON Schema is invalid: ${fault}`);
  const value = typeof compared.output === 'string' ? parsed(compared.output) : compared.output;
  return value !== undefined && compileSchema(schema)(value) === null;
}

function parsed(text: string): unknown {
  try {
    return parsePlain(text);
  } catch {
    return undefined;
  }
}

function isClose(scorer: LocalRule, compared: Compared): boolean {
  const expected = numberIn(required(scorer, compared));
  if (expected === null) throw new RuleError('The expected value of the rule numeric must be a number.');
  const found = numberIn(compared.output);
  if (found === null) return false;
  const difference = Math.abs(found - expected);
  const allowed = Math.max(scorer.tolerance ?? 0, (scorer.relative_tolerance ?? 0) * Math.abs(expected));
  return difference <= allowed;
}

/** A number, or the last one in a text: models tend to state their answer at the end. */
function numberIn(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  const found = value.replaceAll(/(?<=\d),(?=\d{3}\b)/g, '').match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi);
  return found === null ? null : Number(found.at(-1));
}

/** The comparison takes time in proportion to the product of the lengths. */
const comparedMax = 20_000;

function similarity(scorer: LocalRule, compared: Compared): number {
  const [output, expected] = [compared.output, required(scorer, compared)].map((value) => textOf(value, scorer));
  if (output === expected) return 1; // also two empty texts
  const longest = Math.max(output!.length, expected!.length);
  if (longest > comparedMax) {
    throw new RuleError(`text_similarity compares strings of up to ${comparedMax} characters (found ${longest}).`);
  }
  const { match } = CmpStr.create().setMetric(scorer.metric).test<CmpStrResult>(output!, expected!);
  return match;
}
