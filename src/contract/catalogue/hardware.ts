import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { providerParams } from './model.ts';

const hardwareSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    pricing: z.object({ cents_per_million_input_tokens: z.number(), cents_per_million_output_tokens: z.number() }),
    specs: z.looseObject({}),
  })
  .meta({ id: 'HardwareOption' });

export const inferenceHardware = defineEndpoint({
  method: 'GET',
  path: '/inference/{provider}/v2/hardware',
  group: 'Inference catalogue',
  name: 'hardware list',
  description:
    'Where a model runs and what it costs there; `model` is its name without a publisher. Empty for an unknown model.',
  params: providerParams,
  query: z.object({ model: z.string() }),
  answer: {
    kind: 'json',
    schema: z.object({ hardware: z.array(hardwareSchema) }).meta({ id: 'HardwareOptions' }),
  },
});
