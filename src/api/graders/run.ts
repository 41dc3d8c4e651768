import type { Context } from '../../context.ts';
import type { graderRun as endpoint } from '../../contract/graders/run.ts';
import type { Grade } from '../../domain/graders/grade.ts';
import { GradeError } from '../../domain/graders/grade-error.ts';
import { sampleOf } from '../../domain/graders/sample.ts';
import type { Handler } from '../../http/bind.ts';
import { parseJson } from '../../util/json/parse.ts';
import { ownerForWrite } from '../project.ts';
import { checkGrader } from './check.ts';

export function graderRun(context: Pick<Context, 'identity' | 'graders'>): Handler<typeof endpoint> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const { grader, model_sample: output, item } = body;
    checkGrader(grader, 'grader');
    const owner = await ownerForWrite(context, { caller, raw });
    const startedAt = performance.now();
    const row = item === null ? {} : (parseJson(item.text, { keepsDigits: true }) as Record<string, unknown>);
    const options = { owner, signal: whenHungUp() };
    const grade = await context.graders
      .grade(grader, { item: row, sample: sampleOf(output) }, options)
      .catch((error) => {
        if (error instanceof GradeError) return error;
        throw error;
      });
    const found = grade instanceof GradeError ? { ...noGrade, ...grade.asked } : grade;
    const samples = Object.values(found.samples);
    return {
      reward: found.score,
      metadata: {
        name: grader.name,
        type: grader.type,
        errors: errorsOf(grade),
        error_details: grade instanceof GradeError ? grade.message : null,
        execution_time: (performance.now() - startedAt) / 1000,
        scores: found.subScores,
        token_usage: samples.length === 0 ? null : samples.reduce((sum, { usage }) => sum + usage.total_tokens, 0),
        sampled_model_name: samples[0]?.model ?? null,
      },
      sub_rewards: found.subScores,
      model_grader_token_usage_per_model: found.usage,
    };
  };
}

const noGrade: Grade = { score: 0, subScores: {}, samples: {}, usage: {} };

function errorsOf(grade: Grade | GradeError) {
  const problem = grade instanceof GradeError ? grade.problem : null;
  return {
    formula_parse_error: problem === 'formula_parse_error',
    sample_parse_error: problem === 'sample_parse_error',
    truncated_observation_error: false,
    unresponsive_reward_error: false,
    invalid_variable_error: problem === 'invalid_variable_error',
    other_error: problem === 'other_error',
    python_grader_server_error: false,
    python_grader_server_error_type: null,
    python_grader_runtime_error: false,
    python_grader_runtime_error_details: null,
    model_grader_server_error: problem === 'model_grader_server_error',
    model_grader_refusal_error: problem === 'model_grader_refusal_error',
    model_grader_parse_error: problem === 'model_grader_parse_error',
    model_grader_server_error_details:
      grade instanceof GradeError && problem === 'model_grader_server_error' ? grade.message : null,
  };
}
