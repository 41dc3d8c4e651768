import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, jsonObject } from '../wire.ts';

const status = z.union([
  z.object({ code: z.literal('not_found').default('not_found') }).meta({ id: 'EvaluationStatusNotFound' }),
  z
    .object({ code: z.literal('running').default('running'), completed_rows: int(), total_rows: int() })
    .meta({ id: 'EvaluationStatusRunning' }),
  z
    .object({ code: z.literal('failed').default('failed'), error: z.string().nullable().default(null) })
    .meta({ id: 'EvaluationStatusFailed' }),
  z
    .object({ code: z.literal('complete').default('complete'), output: jsonObject() })
    .meta({ id: 'EvaluationStatusComplete' }),
]);

export const evaluationStatus = defineEndpoint({
  method: 'POST',
  path: '/evaluations/status',
  group: 'Evaluations',
  name: 'Evaluation Status',
  description: 'Returns the progress of an evaluation, whether the server or an SDK runs it.',
  body: z.object({ project_id: z.string(), call_id: z.string() }).meta({ id: 'EvaluationStatusReq' }),
  answer: { kind: 'json', schema: z.object({ status }).meta({ id: 'EvaluationStatusRes' }) },
});
