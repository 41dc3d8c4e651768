import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool } from '../wire.ts';
import { group, path, predictionParams } from './prediction.ts';

export const predictionFinish = defineEndpoint({
  method: 'POST',
  path: `${path}/{prediction_id}/finish`,
  group,
  name: 'Prediction Finish',
  description:
    'Ends the call of `Evaluation.predict_and_score` around a prediction with the scores given so far. Finished again, it gets the scores given since.',
  params: predictionParams,
  answer: { kind: 'json', schema: z.object({ success: bool() }).meta({ id: 'PredictionFinishRes' }) },
});
