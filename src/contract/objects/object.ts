import { z } from 'zod';
import { anyJson, int, optional, timestamp } from '../wire.ts';

const classes = { base_object_class: optional(z.string()), leaf_object_class: optional(z.string()) };

/** One version of an object or op in responses. */
export const objectSchema = z
  .object({
    project_id: z.string(),
    object_id: z.string(),
    created_at: timestamp(),
    deleted_at: optional(timestamp()),
    digest: z.string(),
    version_index: int(),
    is_latest: int(),
    kind: z.string(),
    ...classes,
    base_object_class: z.string().nullable(),
    val: anyJson(),
    wb_user_id: optional(z.string()),
    size_bytes: optional(int()),
    tags: optional(z.array(z.string())),
    aliases: optional(z.array(z.string())),
  })
  .meta({ id: 'ObjSchema' });

export const deletedVersionSchema = z.object({ digest: z.string(), ...classes }).meta({ id: 'DeletedObjVersion' });
