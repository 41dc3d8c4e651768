import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optionalJsonObject } from '../wire.ts';
import { grader } from './grader.ts';

const flag = () => z.boolean();
const details = () => z.string().nullable();

/** What prevented the grade. The fields about Python are always false, because heddle does not run it. */
const errors = z.object({
  formula_parse_error: flag(),
  sample_parse_error: flag(),
  truncated_observation_error: flag(),
  unresponsive_reward_error: flag(),
  invalid_variable_error: flag(),
  other_error: flag(),
  python_grader_server_error: flag(),
  python_grader_server_error_type: details(),
  python_grader_runtime_error: flag(),
  python_grader_runtime_error_details: details(),
  model_grader_server_error: flag(),
  model_grader_refusal_error: flag(),
  model_grader_parse_error: flag(),
  model_grader_server_error_details: details(),
});

export const graderRun = defineEndpoint({
  method: 'POST',
  path: '/v1/fine_tuning/alpha/graders/run',
  group: 'Graders',
  name: 'Run Grader',
  description:
    'Grades one output of a model. If it cannot be graded, `reward` is 0, and `metadata.errors` and `metadata.error_details` ' +
    'say why. Models are those of `/completions/create`: served models and those of providers.',
  strictJson: true,
  errors: 'openaiPlatform',
  body: z
    .object({
      grader,
      model_sample: z.string(),
      item: optionalJsonObject(),
    })
    .meta({ id: 'RunGraderRequest' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        reward: z.number(),
        metadata: z.object({
          name: z.string(),
          type: z.string(),
          errors,
          /** Details that the errors do not contain; null if there are none. */
          error_details: z.string().nullable(),
          execution_time: z.number(),
          scores: z.record(z.string(), z.unknown()),
          token_usage: z.number().nullable(),
          sampled_model_name: z.string().nullable(),
        }),
        sub_rewards: z.record(z.string(), z.unknown()),
        model_grader_token_usage_per_model: z.record(z.string(), z.unknown()),
      })
      .meta({ id: 'RunGraderResponse' }),
  },
});
