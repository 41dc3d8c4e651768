import { z } from 'zod';
import { timestamp } from '../wire.ts';

/** Which projects use a secret: one, or all of its entity. */
export const secretScope = z.enum(['project', 'entity']);

/** An API key of a model provider, without its value. */
export const secretSchema = z
  .object({
    name: z.string(),
    scope: secretScope.meta({ description: 'A secret of the project replaces one of the entity with the same name.' }),
    hosts: z.array(z.string()).meta({ description: 'The hosts it may be sent to; empty: those of any provider.' }),
    updated_at: timestamp(),
  })
  .meta({ id: 'Secret' });
