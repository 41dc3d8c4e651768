import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { float, optional, text, timestamp } from '../wire.ts';

const priceSchema = z
  .object({
    prompt_token_cost: float(),
    completion_token_cost: float(),
    cache_read_input_token_cost: float().default(0),
    cache_creation_input_token_cost: float().default(0),
    prompt_token_cost_unit: text().nullable().default('USD'),
    completion_token_cost_unit: text().nullable().default('USD'),
    effective_date: optional(timestamp()),
    provider_id: optional(text()),
  })
  .meta({ id: 'CostCreateInput' });

export const costCreate = defineEndpoint({
  method: 'POST',
  path: '/cost/create',
  group: 'Costs',
  name: 'Cost Create',
  description:
    'Adds prices of single tokens to a project, by model. Prices add up to a history: none is replaced, and each call is ' +
    'priced by what was in force when it started. Without `effective_date` a price is in force from now on.',
  body: z
    .object({ project_id: z.string(), costs: z.record(text(), priceSchema), wb_user_id: optional(z.string()) })
    .meta({ id: 'CostCreateReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        ids: z
          .array(z.tuple([z.string(), z.string()]))
          .meta({ description: 'The id of each new price and its model.' }),
      })
      .meta({ id: 'CostCreateRes' }),
  },
});

export type PriceInput = z.output<typeof priceSchema>;
