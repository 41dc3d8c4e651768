import { z } from 'zod';
import { evalParams, path as evalsPath } from '../openai-evals/eval.ts';
import { openaiMetadata } from '../openai-metadata.ts';
import { text } from '../wire.ts';

export const path = `${evalsPath}/{eval_id}/runs`;
export const runParams = evalParams.extend({ run_id: text() });

export const runStatuses = ['queued', 'in_progress', 'completed', 'canceled', 'failed'] as const;

const evalError = z.object({ code: z.string(), message: z.string() }).meta({ id: 'OpenAIEvalError' });

export const resultCounts = z.object({
  total: z.number(),
  passed: z.number(),
  failed: z.number(),
  errored: z.number(),
});

export const modelUsage = z.object({
  model_name: z.string(),
  invocation_count: z.number(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
  cached_tokens: z.number(),
});

export const criterionResult = z.object({
  /** The id of the criterion. */
  testing_criteria: z.string(),
  passed: z.number(),
  failed: z.number(),
});

export const evalRun = z
  .object({
    object: z.literal('eval.run'),
    id: z.string(),
    eval_id: z.string(),
    name: z.string(),
    status: z.enum(runStatuses),
    model: z.string(),
    data_source: z.record(z.string(), z.unknown()),
    metadata: openaiMetadata,
    error: evalError.nullable(),
    report_url: z.string(),
    result_counts: resultCounts,
    per_model_usage: z.array(modelUsage),
    per_testing_criteria_results: z.array(criterionResult),
    created_at: z.number(),
  })
  .meta({ id: 'OpenAIEvalRun' });
