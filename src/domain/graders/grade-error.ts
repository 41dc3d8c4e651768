import type { Grade } from './grade.ts';

/** What prevented a grade, in the categories that OpenAI reports. */
export type GradeProblem =
  | 'invalid_variable_error'
  | 'formula_parse_error'
  | 'model_grader_parse_error'
  | 'model_grader_refusal_error'
  | 'model_grader_server_error'
  | 'sample_parse_error'
  | 'other_error';

/** A grader cannot grade this sample. Others may be graded. */
export class GradeError extends Error {
  readonly problem: GradeProblem;
  /** The requests to models that answered all the same, and their tokens. */
  readonly asked: Pick<Grade, 'samples' | 'usage'>;

  constructor(problem: GradeProblem, message: string, asked: GradeError['asked'] = { samples: {}, usage: {} }) {
    super(message);
    this.problem = problem;
    this.asked = asked;
  }
}
