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

  constructor(problem: GradeProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
