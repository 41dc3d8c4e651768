import { z } from 'zod';
import { text } from '../wire.ts';

export const path = '/v1/preview/models';
export const group = 'Trained models';

export const trainedModelParams = z.object({ model_id: text() });

export const trainedModel = z
  .object({
    id: z.string(),
    entity: z.string(),
    project: z.string(),
    name: z.string(),
    base_model: z.string(),
    /** The W&B run that shows the model's training. */
    run_id: z.string(),
  })
  .meta({ id: 'TrainedModel' });
