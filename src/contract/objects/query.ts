import { z } from 'zod';
import { sortBySchema } from '../calls/filter.ts';
import { defineEndpoint } from '../endpoint.ts';
import { bool, optional, rowCount, text } from '../wire.ts';
import { objectSchema } from './object.ts';

const flag = () => bool().nullable().default(false);
const words = () => optional(z.array(text()));

/** Combined with AND; the entries of one list with OR. An empty list matches every object. */
const objectFilterSchema = z
  .object({
    base_object_classes: words(),
    exclude_base_object_classes: words(),
    leaf_object_classes: words(),
    object_ids: words(),
    is_op: optional(bool()),
    latest_only: optional(bool()),
    tags: words(),
    aliases: words(),
  })
  .meta({ id: 'ObjectVersionFilter' });

export const objsQuery = defineEndpoint({
  method: 'POST',
  path: '/objs/query',
  group: 'Objects',
  name: 'Objs Query',
  description: 'Lists live versions, the oldest first. `sort_by` knows `object_id` and `created_at`.',
  body: z
    .object({
      project_id: z.string(),
      filter: optional(objectFilterSchema),
      limit: optional(rowCount()),
      offset: optional(rowCount()),
      sort_by: optional(z.array(sortBySchema)),
      metadata_only: flag(),
      include_storage_size: flag(),
      include_tags_and_aliases: flag(),
    })
    .meta({ id: 'ObjQueryReq' }),
  answer: { kind: 'json', schema: z.object({ objs: z.array(objectSchema) }).meta({ id: 'ObjQueryRes' }) },
});
