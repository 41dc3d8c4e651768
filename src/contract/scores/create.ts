import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { anyJson, optional, text } from '../wire.ts';
import { group, path } from './score.ts';

export const scoreCreate = defineEndpoint({
  method: 'POST',
  takesData: true,
  path,
  group,
  name: 'Score Create',
  description: 'Scores a prediction: recorded as a call of the scorer, and as feedback on the prediction.',
  params: projectParams,
  body: z
    .object({ prediction_id: text(), scorer: text(), value: anyJson(), evaluation_run_id: optional(text()) })
    .meta({ id: 'ScoreCreateBody' }),
  answer: { kind: 'json', schema: z.object({ score_id: z.string() }).meta({ id: 'ScoreCreateRes' }) },
});
