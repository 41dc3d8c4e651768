import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { callEnd } from './end.ts';
import { endResultSchema, startResultSchema } from './parts.ts';
import { callStart } from './start.ts';

const mode = (fallback: 'start' | 'end') => z.string().default(fallback);

export const callUpsertBatch = defineEndpoint({
  method: 'POST',
  takesData: true,
  path: '/call/upsert_batch',
  group: 'Calls',
  name: 'Call Start Batch',
  description:
    'Records starts and ends of calls, in any order and of any projects. The answer has one entry per item; that of an item that cannot be stored is its `reason`.',
  body: z
    .object({
      batch: z.array(
        z.union([
          z.object({ mode: mode('start'), req: callStart.body! }).meta({ id: 'CallBatchStartMode' }),
          z.object({ mode: mode('end'), req: callEnd.body! }).meta({ id: 'CallBatchEndMode' }),
        ]),
      ),
    })
    .meta({ id: 'CallCreateBatchReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({ res: z.array(z.union([startResultSchema, endResultSchema, z.object({ reason: z.string() })])) })
      .meta({ id: 'CallCreateBatchRes' }),
  },
});
