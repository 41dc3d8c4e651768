import { z } from 'zod';
import { bool } from '../wire.ts';

/** A user who can read and write the projects of an entity. */
export const memberSchema = z
  .object({
    username: z.string(),
    is_owner: bool().meta({ description: 'Whether the user owns the server, and so belongs to every entity.' }),
  })
  .meta({ id: 'Member' });
