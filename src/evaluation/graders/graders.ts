import type { Grader, GraderOf, SingleGrader } from '../../contract/graders/grader.ts';
import { gradersOf } from '../../domain/graders/check-grader.ts';
import { parseFormula } from '../../domain/graders/formula.ts';
import type { Grade } from '../../domain/graders/grade.ts';
import { GradeError } from '../../domain/graders/grade-error.ts';
import { cosine } from '../../domain/graders/similarity/cosine.ts';
import { fillTemplate, type Namespaces } from '../../domain/graders/template.ts';
import { sumUsage } from '../../domain/usage/sum-usage.ts';
import type { Completions } from '../../services/completions/completions.ts';
import type { Owner } from '../../services/owner.ts';
import { invalidInput } from '../../util/failures.ts';
import { withRetries } from '../models/with-retries.ts';
import { RuleError } from '../rules/apply-rule.ts';
import type { Rules } from '../rules/rules.ts';
import { gradeByModel } from './model-grader.ts';
import { toGradeError } from './to-grade-error.ts';

type GradeOptions = { owner: Owner; signal: AbortSignal };

/** Applies graders in OpenAI's shape. `graderFault` must have found nothing wrong with them. */
export type Graders = {
  /**
   * @throws GradeError if this sample cannot be graded
   * @throws Failure if no sample can be, such as for an unknown model
   */
  grade(grader: Grader, namespaces: Namespaces, options: GradeOptions): Promise<Grade>;
};

/** The model whose embeddings OpenAI's graders compare. */
const embeddingModel = 'openai/text-embedding-3-large';

export function openGraders({ completions, rules }: { completions: Completions; rules: Rules }): Graders {
  async function gradeSingle(grader: SingleGrader, namespaces: Namespaces, options: GradeOptions): Promise<Grade> {
    switch (grader.type) {
      case 'string_check':
        return ofScore(Number(passesCheck(grader.operation, textsOf(grader, namespaces))));
      case 'text_similarity':
        return grader.evaluation_metric === 'cosine'
          ? compareEmbeddings(textsOf(grader, namespaces), options)
          : ofScore(await compareTexts(grader.evaluation_metric, textsOf(grader, namespaces), options));
      case 'score_model':
      case 'label_model':
        return gradeByModel(grader, namespaces, { completions, ...options });
      case 'python':
        throw invalidInput('heddle does not run the Python code of graders.');
      default:
        return grader satisfies never;
    }
  }

  async function gradeMulti(grader: GraderOf<'multi'>, namespaces: Namespaces, options: GradeOptions): Promise<Grade> {
    const formula = parseFormula(grader.calculate_output);
    const graded = await allGrades(
      Object.entries(gradersOf(grader)).map(async ([name, each]) => {
        return [name, await gradeSingle(each, namespaces, options)] as const;
      }),
    );
    const subScores = Object.fromEntries(graded.map(([name, { score }]) => [name, score]));
    const samples = graded.flatMap(([name, grade]) => Object.values(grade.samples).map((sample) => [name, sample]));
    return {
      score: formula.evaluate(subScores),
      subScores,
      samples: Object.fromEntries(samples),
      usage: sumUsage(graded.map(([, { usage }]) => usage)),
    };
  }

  async function compareTexts(
    metric: Exclude<GraderOf<'text_similarity'>['evaluation_metric'], 'cosine'>,
    texts: Compared,
    { owner, signal }: GradeOptions,
  ): Promise<number> {
    try {
      return await rules.compare(metric, texts, { project: owner.project.id, signal });
    } catch (error) {
      throw error instanceof RuleError ? new GradeError('other_error', error.message) : error;
    }
  }

  async function compareEmbeddings({ input, reference }: Compared, { owner, signal }: GradeOptions): Promise<Grade> {
    const request = { ...owner, model: embeddingModel, texts: [input, reference], signal };
    const { vectors, summary } = await withRetries(() => completions.embed(request), signal).catch((error) => {
      throw toGradeError(error, signal);
    });
    return { ...ofScore(cosine(vectors[0]!, vectors[1]!)), usage: summary.usage ?? {} };
  }

  return {
    grade: (grader, namespaces, options) =>
      grader.type === 'multi' ? gradeMulti(grader, namespaces, options) : gradeSingle(grader, namespaces, options),
  };
}

type Named = readonly [name: string, grade: Grade];

/** Waits for all, so that the tokens of a multi grader count if one of its graders fails. @throws the first error */
async function allGrades(grades: Promise<Named>[]): Promise<Named[]> {
  const settled = await Promise.allSettled(grades);
  const failed = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  const graded = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const other = failed.find((error) => !(error instanceof GradeError));
  if (other !== undefined) throw other;
  const errors = failed.filter((error) => error instanceof GradeError);
  const [first] = errors;
  if (!first) return graded;
  const asked = [...graded.map(([, grade]) => grade), ...errors.map((error) => error.asked)];
  throw new GradeError(first.problem, first.message, {
    samples: first.asked.samples,
    usage: sumUsage(asked.map(({ usage }) => usage)),
  });
}

type Compared = { input: string; reference: string };

function textsOf({ input, reference }: Compared, namespaces: Namespaces): Compared {
  return { input: fillTemplate(input, namespaces), reference: fillTemplate(reference, namespaces) };
}

function passesCheck(operation: GraderOf<'string_check'>['operation'], { input, reference }: Compared): boolean {
  switch (operation) {
    case 'eq':
      return input === reference;
    case 'ne':
      return input !== reference;
    case 'like':
      return input.includes(reference);
    case 'ilike':
      return input.toLowerCase().includes(reference.toLowerCase());
    default:
      return operation satisfies never;
  }
}

function ofScore(score: number): Grade {
  return { score, subScores: {}, samples: {}, usage: {} };
}
