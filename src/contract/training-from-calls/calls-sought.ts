import { z } from 'zod';
import { callsFilterSchema, querySchema } from '../calls/filter.ts';
import { suiteMatch } from '../suites/match.ts';
import { modelName } from '../trained-models/create.ts';
import { int, optional, text } from '../wire.ts';

/** How many calls one job can use. */
export const callsMax = 10_000;

/** The model to train. */
export const wantedModel = {
  project_id: z.string(),
  model: modelName.meta({ description: 'A model of the project; created if it does not exist.' }),
  base_model: optional(text()).meta({
    description: 'Of a new model; by default that of the server.',
  }),
};

/** The calls to choose from. */
export const callsSought = {
  filter: optional(callsFilterSchema),
  query: optional(querySchema),
  limit: int()
    .default(callsMax)
    .meta({ description: `How many calls are read, the newest first; at most ${callsMax}.` }),
};

const skippedSchema = z.array(z.object({ reason: z.string(), count: int() }));

/** The common fields of previews of both kinds of training. */
export const previewed = {
  model: z.string(),
  base_model: z.string(),
  step: int().meta({ description: 'The checkpoint that the job continues from; 0 for the base model.' }),
  matched: int().meta({ description: 'Calls that match.' }),
  read: int().meta({ description: 'Calls that were read: the newest.' }),
  skipped: skippedSchema.meta({ description: 'Why calls are left out, the most frequent reason first.' }),
  trained_tokens: int(),
  masked_tokens: int().meta({ description: 'Prompts and context, which have no loss.' }),
  steps: int().meta({ description: 'Optimizer steps; 0 if there is nothing to learn.' }),
  warnings: z.array(z.string()),
  suite_rows_found: int().meta({
    description:
      'Rows of the data that match rows of suites. The job is refused if there are any, unless it allows them.',
  }),
  suite_matches: z.array(suiteMatch).meta({ description: 'The first rows of suites that are matched.' }),
};
