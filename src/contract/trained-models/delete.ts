import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int } from '../wire.ts';
import { group, path, trainedModelParams } from './trained-model.ts';

export const trainedModelDelete = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{model_id}`,
  group,
  name: 'Delete Model',
  description: 'Deletes a model with its checkpoints and jobs. A job that is running is canceled.',
  errors: 'detail',
  params: trainedModelParams,
  answer: {
    kind: 'json',
    schema: z
      .object({ model_id: z.string(), deleted_checkpoints: int(), deleted_run: z.boolean() })
      .meta({ id: 'DeleteModelResponse' }),
  },
});
