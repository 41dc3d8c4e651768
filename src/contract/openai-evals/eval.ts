import { z } from 'zod';
import { openaiMetadata } from '../openai-metadata.ts';
import { bool, text } from '../wire.ts';
import { criterion } from './criterion.ts';

export const group = 'OpenAI evals';
export const path = '/v1/evals';
export const evalParams = z.object({ eval_id: text() });

const anyObject = z.record(z.string(), z.unknown());
/** A filter on the metadata of stored chats. */
const filter = { metadata: anyObject.nullish() };

export const newDataSourceConfig = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('custom'), item_schema: anyObject, include_sample_schema: bool().nullish() }),
    z.object({ type: z.literal('logs'), ...filter }),
    z.object({ type: z.literal('stored_completions'), ...filter }),
  ])
  .meta({ id: 'OpenAIEvalNewDataSourceConfig' });

export type NewDataSourceConfig = z.output<typeof newDataSourceConfig>;

/** The schema of the rows, which have the members `item` and `sample`. */
const withSchema = { schema: anyObject };

const dataSourceConfig = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('custom'), ...withSchema }),
    z.object({ type: z.literal('logs'), ...withSchema, ...filter }),
    z.object({ type: z.literal('stored_completions'), ...withSchema, ...filter }),
  ])
  .meta({ id: 'OpenAIEvalDataSourceConfig' });

export type DataSourceConfig = z.output<typeof dataSourceConfig>;

export const evalObject = z
  .object({
    object: z.literal('eval'),
    id: z.string(),
    name: z.string(),
    data_source_config: dataSourceConfig,
    testing_criteria: z.array(criterion),
    metadata: openaiMetadata,
    created_at: z.number(),
  })
  .meta({ id: 'OpenAIEval' });
