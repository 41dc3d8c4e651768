import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { pageQuery } from '../resources/resource.ts';
import { anyJson, int, optional, repeated, text } from '../wire.ts';

const path = '/v2/{entity}/{project}/scores';
const group = 'Scores';

const scoreSchema = z
  .object({
    score_id: z.string(),
    scorer: z.string(),
    value: anyJson(),
    evaluation_run_id: optional(z.string()),
    wb_user_id: optional(z.string()),
  })
  .meta({ id: 'ScoreReadRes' });

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

export const scoreRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{score_id}`,
  group,
  name: 'Score Read',
  description: 'Reads one score.',
  params: projectParams.extend({ score_id: text() }),
  answer: { kind: 'json', schema: scoreSchema },
});

export const scoreList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'Score List',
  description: 'Streams the scores of a run, or of the project, the oldest first.',
  params: projectParams,
  query: pageQuery.extend({ evaluation_run_id: optional(text()) }),
  answer: { kind: 'lines', schema: scoreSchema, mediaType: 'application/jsonl' },
});

export const scoreDelete = defineEndpoint({
  method: 'DELETE',
  path,
  group,
  name: 'Score Delete',
  description: 'Deletes scores. The feedback made with them stays.',
  params: projectParams,
  query: z.object({ score_ids: repeated() }),
  answer: { kind: 'json', schema: z.object({ num_deleted: int() }).meta({ id: 'ScoreDeleteRes' }) },
});
