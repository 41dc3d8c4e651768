import { type RuleScorer, ruleScorerSchema } from '../../domain/evaluations/rule-scorer.ts';
import { cosine } from '../../domain/graders/similarity/cosine.ts';
import type { Completions } from '../../services/completions/completions.ts';
import type { Owner } from '../../services/owner.ts';
import { describeFaults } from '../../util/describe-faults.ts';
import { invalidInput } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { isObject } from '../../util/json/own-member.ts';
import { withRetries } from '../models/with-retries.ts';
import { type Compared, RuleError, required, textOf, withThreshold } from '../rules/apply-rule.ts';
import type { Rules } from '../rules/rules.ts';
import type { Scored, Scorer, Scoring } from './scorer.ts';

/** Reads the value of a `RuleScorer`. @throws Failure with a description of the problem */
export function readRule(
  value: unknown,
  { rules, completions }: { rules: Rules; completions: Completions },
): Scorer['score'] {
  const parsed = ruleScorerSchema.safeParse(value);
  if (!parsed.success) throw invalidInput(`The scorer is invalid: ${describeFaults(parsed.error)}`);
  const scorer = parsed.data;
  return async (scored, owner, signal) => {
    try {
      const compared = comparedOf(scored, scorer);
      const { rule } = scorer;
      if (rule === 'embedding_similarity') {
        return await compareEmbeddings(scorer, compared, completions, { ...owner, signal });
      }
      const score = await rules.apply({ ...scorer, rule }, compared, { project: owner.project.id, signal });
      return { score, usage: {} };
    } catch (error) {
      throw error instanceof RuleError ? invalidInput(error.message) : error;
    }
  };
}

/** Compares embeddings of both texts. */
async function compareEmbeddings(
  scorer: RuleScorer,
  compared: Compared,
  completions: Completions,
  request: Owner & { signal: AbortSignal },
): Promise<Scoring> {
  const { model } = scorer;
  if (model === null)
    throw new RuleError('The rule embedding_similarity needs the name of an embedding model in `model`.');
  const texts = [compared.output, required(scorer, compared)].map((each) => textOf(each, scorer));
  const { vectors, summary } = await withRetries(() => completions.embed({ ...request, model, texts }), request.signal);
  return { score: withThreshold(cosine(vectors[0]!, vectors[1]!), scorer), usage: summary.usage ?? {} };
}

function comparedOf({ row, output }: Scored, { column_map, rule }: RuleScorer): Compared {
  const part = column_map?.output;
  if (part !== undefined && !(isObject(output) && Object.hasOwn(output, part))) {
    throw new RuleError(`column_map maps the output of the rule ${rule} to its field "${part}", which does not exist.`);
  }
  const column = column_map?.expected ?? 'expected';
  const values = {
    output: part === undefined ? output : (output as Record<string, unknown>)[part],
    expected: Object.hasOwn(row, column) ? row[column] : undefined,
  };
  const numberOf = rule === 'json_schema' ? Number : comparedNumber;
  return { output: withNumbers(values.output, numberOf), expected: withNumbers(values.expected, numberOf) };
}

/** An integer that JavaScript cannot hold is compared as text: two ids that differ in the last digit are not equal. */
function comparedNumber(digits: string): number | string {
  const value = Number(digits);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : digits;
}

function withNumbers(value: unknown, numberOf: (digits: string) => unknown): unknown {
  if (value instanceof JsonText) return numberOf(value.text);
  if (Array.isArray(value)) return value.map((each) => withNumbers(each, numberOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withNumbers(each, numberOf)]));
}
