import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional } from '../wire.ts';
import { storeStateSchema } from './store-state.ts';

export const serverInfo = defineEndpoint({
  method: 'GET',
  path: '/server_info',
  group: 'Service',
  name: 'Server Info',
  description:
    'What an SDK checks when it connects: the oldest client served, and the level of the interface. Also the stores, as in ' +
    '`/health/ready`.',
  open: true,
  answer: {
    kind: 'json',
    schema: z
      .object({
        min_required_weave_python_version: z.string(),
        trace_server_version: optional(z.string()),
        stores: z.array(storeStateSchema),
      })
      .meta({ id: 'ServerInfoRes' }),
  },
});
