import { z } from 'zod';
import { text } from '../wire.ts';

/** A version in a path. */
export const versionParams = z.object({ object_id: text(), digest: text() });

export const tagsBody = z.object({ project_id: z.string(), tags: z.array(text()) }).meta({ id: 'ObjTagsBody' });
