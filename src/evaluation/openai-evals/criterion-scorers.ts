import type { Criterion } from '../../contract/openai-evals/criterion.ts';
import { defaultThreshold, type Grade, type ModelSample } from '../../domain/graders/grade.ts';
import { GradeError } from '../../domain/graders/grade-error.ts';
import type { Namespaces } from '../../domain/graders/template.ts';
import type { Graders } from '../graders/graders.ts';
import { ScoreError } from '../scorers/score-error.ts';
import type { Scorer } from '../scorers/scorer.ts';

/** What a criterion found for a row, in OpenAI's shape. */
export type CriterionResult = {
  name: string;
  type: string;
  score: number;
  passed: boolean;
  sample: Record<string, unknown> | null;
};

/** The criteria of an eval as scorers, with the keys of their scores: their names, which are numbered if they repeat. */
export type CriterionScorer = Pick<Scorer, 'ref' | 'objectName' | 'key'> & { criterion: Criterion };

/** The scorer of a criterion for one row. What it finds is passed to `onResult`, also if there is no score. */
export function scorerForRow(
  { criterion, ...scorer }: CriterionScorer,
  namespaces: Namespaces,
  graders: Graders,
  onResult: (result: CriterionResult, grade: Grade | GradeError) => void,
): Scorer {
  const threshold = criterion.pass_threshold ?? defaultThreshold(criterion);
  const of = { name: criterion.id, type: `${criterion.type.replaceAll('_', '-')}-grader` };
  return {
    ...scorer,
    async score(_, owner, signal) {
      try {
        const grade = await graders.grade(criterion, namespaces, { owner, signal });
        const passed = grade.score >= threshold;
        onResult({ ...of, score: grade.score, passed, sample: sampleOf(grade.samples) }, grade);
        return { score: { score: grade.score, passed }, usage: grade.usage };
      } catch (error) {
        if (!(error instanceof GradeError)) throw error;
        const sample = { ...sampleOf(error.asked.samples), error: { code: error.problem, message: error.message } };
        onResult({ ...of, score: 0, passed: false, sample }, error);
        throw new ScoreError(error.message, error.asked.usage);
      }
    },
  };
}

/** A multi grader may have asked several models. */
function sampleOf(samples: Record<string, ModelSample>): Record<string, unknown> | null {
  const all = Object.values(samples);
  return all.length > 1 ? samples : (all[0] ?? null);
}
