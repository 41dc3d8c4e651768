import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { int, repeated } from '../wire.ts';
import { group, path } from './score.ts';

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
