import { z } from 'zod';
import { outputItem } from '../../contract/openai-eval-items/item.ts';
import type { DataSource } from '../../contract/openai-eval-runs/data-source.ts';
import { dataSource } from '../../contract/openai-eval-runs/data-source.ts';
import { criterionResult, evalRun, modelUsage } from '../../contract/openai-eval-runs/run.ts';
import { evalObject } from '../../contract/openai-evals/eval.ts';
import { openaiMetadata } from '../../contract/openai-metadata.ts';
import { describeFaults } from '../../util/describe-faults.ts';
import { invalidInput } from '../../util/failures.ts';

const anyObject = z.record(z.string(), z.unknown());
const metadata = openaiMetadata.nullish();
const error = z.looseObject({ code: z.string().nullish(), message: z.string().nullish() }).nullish();

/** What OpenAI's SDKs return, by the member `object`. Members that heddle does not need may be absent. */
export const definitions = {
  eval: evalObject.extend({ name: z.string().nullish(), metadata }),
  'eval.run': evalRun.extend({
    name: z.string().nullish(),
    model: z.string().nullish(),
    metadata,
    error,
    report_url: z.unknown(),
    per_model_usage: z.array(modelUsage).nullish(),
    per_testing_criteria_results: z.array(criterionResult).nullish(),
    data_source: z.looseObject({
      source: z.looseObject({
        content: z.array(z.object({ item: anyObject, sample: anyObject.nullish() })).optional(),
      }),
    }),
  }),
  'eval.run.output_item': outputItem.extend({
    sample: z
      .looseObject({ model: z.string().nullish(), error, output: z.array(z.looseObject({})).nullish() })
      .nullish(),
    datasource_item_id: z.unknown(),
    results: z.array(
      z.looseObject({
        name: z.string(),
        type: z.string().nullish(),
        score: z.number(),
        passed: z.boolean(),
        sample: anyObject.nullish(),
      }),
    ),
  }),
  'fine_tuning.job': z.looseObject({
    id: z.string(),
    model: z.string(),
    status: z.string(),
    training_file: z.string(),
    validation_file: z.string().nullish(),
    method: anyObject.nullish(),
    hyperparameters: anyObject.nullish(),
    seed: z.number().nullish(),
    metadata: z.record(z.string(), z.string()).nullish(),
    user_provided_suffix: z.string().nullish(),
    fine_tuned_model: z.string().nullish(),
  }),
  file: z.looseObject({ id: z.string(), filename: z.string(), purpose: z.string() }),
};

export type Kind = keyof typeof definitions;
export type Definition<Of extends Kind> = z.output<(typeof definitions)[Of]>;

export function isKind(text: unknown): text is Kind {
  return typeof text === 'string' && Object.hasOwn(definitions, text);
}

/** The data source without its rows. @throws Failure */
export function parseDataSource(given: Definition<'eval.run'>['data_source']): DataSource {
  const source = { ...given.source, ...(given.source.content && { content: [] }) };
  const parsed = dataSource.safeParse({ ...given, source });
  if (parsed.success) return parsed.data;
  throw invalidInput(`The data source is invalid: ${describeFaults(parsed.error)}`);
}
