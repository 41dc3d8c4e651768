import { z } from 'zod';
import { bool } from '../wire.ts';

/** Who is signed in. */
export const sessionSchema = z
  .object({
    user_id: z.string().meta({ description: 'As in `wb_user_id` of what this user sends.' }),
    username: z.string(),
    entity: z.string().meta({ description: 'The entity of new projects.' }),
    is_owner: bool(),
    server_version: z.string(),
  })
  .meta({ id: 'Session' });
