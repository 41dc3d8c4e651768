import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { completeSchema } from './parts.ts';

export const callsComplete = defineEndpoint({
  method: 'POST',
  takesData: true,
  path: '/v2/{entity}/{project}/calls/complete',
  group: 'Calls',
  name: 'Calls Complete',
  description:
    'Records finished calls, each in one piece. Sent again, the later one wins. A call that cannot be stored is named in ' +
    '`rejected`; the others are recorded.',
  params: projectParams,
  body: z.object({ batch: z.array(completeSchema) }).meta({ id: 'CallsUpsertCompleteReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({ rejected: z.array(z.object({ id: z.string(), reason: z.string() })).optional() })
      .meta({ id: 'CallsUpsertCompleteRes' }),
  },
});
