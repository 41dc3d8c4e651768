import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { float, optional } from '../wire.ts';

/** `duration` is in seconds. */
const queueCheck = z
  .object({ success: z.boolean(), duration: float(), error: optional(z.string()) })
  .meta({ id: 'QueueCheck' });

export const systemCheck = defineEndpoint({
  method: 'GET',
  path: '/v1/system-check',
  group: 'Service',
  name: 'System Check',
  description:
    'Checks the stores (`database`), the queue of jobs (`cpu_queue`) and the trainer (`gpu_queue`). The status is 503 if any check fails.',
  errors: 'detail',
  open: true,
  answer: {
    kind: 'json',
    schema: z
      .object({ api: z.literal(true), database: z.boolean(), cpu_queue: queueCheck, gpu_queue: queueCheck })
      .meta({ id: 'SystemCheck' }),
  },
});
