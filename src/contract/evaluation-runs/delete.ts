import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { int, repeated } from '../wire.ts';
import { group, path } from './evaluation-run.ts';

export const evaluationRunDelete = defineEndpoint({
  method: 'DELETE',
  path,
  group,
  name: 'Evaluation Run Delete',
  description: 'Deletes runs with all their predictions and scores.',
  params: projectParams,
  query: z.object({ evaluation_run_ids: repeated() }),
  answer: { kind: 'json', schema: z.object({ num_deleted: int() }).meta({ id: 'EvaluationRunDeleteRes' }) },
});
