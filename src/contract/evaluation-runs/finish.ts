import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, optionalJsonObject } from '../wire.ts';
import { group, path, runParams } from './evaluation-run.ts';

export const evaluationRunFinish = defineEndpoint({
  method: 'POST',
  path: `${path}/{evaluation_run_id}/finish`,
  group,
  name: 'Evaluation Run Finish',
  description:
    'Ends a run: its output is the mean of each numeric score and of numeric outputs, and a call of `Evaluation.summarize` records it.',
  params: runParams,
  body: z.object({ summary: optionalJsonObject() }).meta({ id: 'EvaluationRunFinishBody' }),
  answer: { kind: 'json', schema: z.object({ success: bool() }).meta({ id: 'EvaluationRunFinishRes' }) },
});
