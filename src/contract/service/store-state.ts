import { z } from 'zod';
import { float, int, optional } from '../wire.ts';

const keyOnly = 'Only for callers with an API key, and only if it is known.';

export const storeStateSchema = z
  .object({
    name: z.string().meta({ description: 'Such as `ClickHouse`.' }),
    kind: z.enum(['embedded', 'server', 'directory', 's3']),
    is_up: z.boolean(),
    version: optional(z.string()).meta({ description: keyOnly }),
    latency_seconds: optional(float()).meta({
      description: `The median time of an answer in the last minute. ${keyOnly}`,
    }),
    free_bytes: optional(int()).meta({ description: `Free space on the disk of its data. ${keyOnly}` }),
    used_bytes: optional(int()).meta({ description: `Size of its data. ${keyOnly}` }),
    address: optional(z.string()).meta({
      description: 'Host and database, or bucket, without credentials. Only for the owner of the server.',
    }),
  })
  .meta({ id: 'StoreState' });
