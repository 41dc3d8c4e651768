import { z } from 'zod';

/** The two segments of `/v2/{entity}/{project}` paths. */
export const projectParams = z.object({ entity: z.string(), project: z.string() });
