import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { rowsQuery } from '../rows-query.ts';
import { float, optional, timestamp } from '../wire.ts';

const shownPriceSchema = z
  .object({
    id: optional(z.string()),
    llm_id: optional(z.string()),
    prompt_token_cost: optional(float()),
    completion_token_cost: optional(float()),
    cache_read_input_token_cost: optional(float()),
    cache_creation_input_token_cost: optional(float()),
    prompt_token_cost_unit: optional(z.string()),
    completion_token_cost_unit: optional(z.string()),
    effective_date: optional(timestamp()),
    provider_id: optional(z.string()),
  })
  .meta({ id: 'CostQueryOutput' });

/** The fields of a price that `/cost/query` can return. */
export const shownPriceFields = Object.keys(shownPriceSchema.shape) as (keyof typeof shownPriceSchema.shape)[];

export const costQuery = defineEndpoint({
  method: 'POST',
  path: '/cost/query',
  group: 'Costs',
  name: 'Cost Query',
  description:
    "Lists a project's own prices, the oldest first unless sorted otherwise; the prices that come with the server are " +
    'not among them. Fields that are not selected are null.',
  body: z.object(rowsQuery).meta({ id: 'CostQueryReq' }),
  answer: { kind: 'json', schema: z.object({ results: z.array(shownPriceSchema) }).meta({ id: 'CostQueryRes' }) },
});
