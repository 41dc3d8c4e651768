import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { trainedModelParams } from '../trained-models/trained-model.ts';
import { int } from '../wire.ts';

export const checkpointDelete = defineEndpoint({
  method: 'DELETE',
  path: '/v1/preview/models/{model_id}/checkpoints',
  group: 'Trained models',
  name: 'Delete Model Checkpoints',
  description: 'Deletes the checkpoints of these steps. Steps without a checkpoint are reported.',
  errors: 'detail',
  params: trainedModelParams,
  body: z.object({ steps: z.array(int()) }).meta({ id: 'DeleteCheckpointsRequest' }),
  answer: {
    kind: 'json',
    schema: z
      .object({ deleted_count: int(), not_found_steps: z.array(int()) })
      .meta({ id: 'DeleteCheckpointsResponse' }),
  },
});
