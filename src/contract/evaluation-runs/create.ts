import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { optional } from '../wire.ts';
import { group, path } from './evaluation-run.ts';

export const evaluationRunCreate = defineEndpoint({
  method: 'POST',
  takesData: true,
  path,
  group,
  name: 'Evaluation Run Create',
  description: 'Starts a run of an evaluation: a call of `Evaluation.evaluate` that is open until the run is finished.',
  params: projectParams,
  body: z
    .object({ evaluation: z.string(), model: z.string(), source_evaluation_run_id: optional(z.string()) })
    .meta({ id: 'EvaluationRunCreateBody' }),
  answer: {
    kind: 'json',
    schema: z.object({ evaluation_run_id: z.string() }).meta({ id: 'EvaluationRunCreateRes' }),
  },
});
