import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { anyJson } from '../wire.ts';

export const refsReadBatch = defineEndpoint({
  method: 'POST',
  path: '/refs/read_batch',
  group: 'Refs',
  name: 'Refs Read Batch',
  description:
    'Reads the values behind refs to objects and ops, in order, and values inside them. Of a deleted version the value ' +
    'is null; a version that never was is answered with 404 and `missing_object_digests`.',
  body: z.object({ refs: z.array(z.string()) }).meta({ id: 'RefsReadBatchReq' }),
  answer: { kind: 'json', schema: z.object({ vals: z.array(anyJson()) }).meta({ id: 'RefsReadBatchRes' }) },
});
