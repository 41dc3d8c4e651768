import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { int, repeated } from '../wire.ts';
import { group, path } from './prediction.ts';

export const predictionDelete = defineEndpoint({
  method: 'DELETE',
  path,
  group,
  name: 'Prediction Delete',
  description: 'Deletes predictions. Their scores stay.',
  params: projectParams,
  query: z.object({ prediction_ids: repeated() }),
  answer: { kind: 'json', schema: z.object({ num_deleted: int() }).meta({ id: 'PredictionDeleteRes' }) },
});
