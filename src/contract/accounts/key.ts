import { z } from 'zod';
import { bool, optional, timestamp } from '../wire.ts';

/** An API key without its value. */
export const keySchema = z
  .object({
    id: z.string(),
    username: z.string().meta({ description: 'Whom requests with the key are from.' }),
    name: z.string(),
    ending: z.string().meta({ description: 'The last four characters of the key.' }),
    created_at: timestamp(),
    revoked_at: optional(timestamp()),
    is_own: bool().meta({ description: 'Whether the key belongs to the caller.' }),
  })
  .meta({ id: 'ApiKey' });
