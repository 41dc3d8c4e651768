import { z } from 'zod';
import { runParams, path as runPath } from '../openai-eval-runs/run.ts';
import { text } from '../wire.ts';

export const path = `${runPath}/{run_id}/output_items`;
export const itemParams = runParams.extend({ output_item_id: text() });

const anyObject = z.record(z.string(), z.unknown());

const itemStatuses = ['pass', 'fail', 'error'] as const;
export type ItemStatus = (typeof itemStatuses)[number];

const result = z.looseObject({
  /** The id of the criterion. */
  name: z.string(),
  type: z.string().nullable(),
  score: z.number(),
  passed: z.boolean(),
  /** The input and output of a grading model, or why there is no score. */
  sample: anyObject.nullable(),
});

/** One row of a run, with the output and the results of its graders. */
export const outputItem = z
  .object({
    object: z.literal('eval.run.output_item'),
    id: z.string(),
    eval_id: z.string(),
    run_id: z.string(),
    status: z.enum(itemStatuses),
    datasource_item_id: z.number(),
    datasource_item: anyObject,
    results: z.array(result),
    sample: anyObject,
    created_at: z.number(),
  })
  .meta({ id: 'OpenAIEvalOutputItem' });
