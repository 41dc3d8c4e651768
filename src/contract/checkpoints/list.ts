import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { trainedModelParams } from '../trained-models/trained-model.ts';
import { trainingPage, trainingPageQuery } from '../training-page.ts';
import { float, int } from '../wire.ts';

const checkpoint = z
  .object({ id: z.string(), step: int(), metrics: z.record(z.string(), float()) })
  .meta({ id: 'CheckpointResponse' });

export const checkpointList = defineEndpoint({
  method: 'GET',
  path: '/v1/preview/models/{model_id}/checkpoints',
  group: 'Trained models',
  name: 'List Model Checkpoints',
  description:
    'Lists the checkpoints of a model by step. Each is served as `wandb-artifact:///entity/project/name:stepN`.',
  errors: 'detail',
  params: trainedModelParams,
  query: trainingPageQuery.extend({ order: z.enum(['asc', 'desc']).nullable().default('asc') }),
  answer: { kind: 'json', schema: trainingPage(checkpoint, 'CheckpointPage') },
});
