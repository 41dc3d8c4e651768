import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, text } from '../wire.ts';
import { objectSchema } from './object.ts';

const flag = () => bool().nullable().default(false);

export const objRead = defineEndpoint({
  method: 'POST',
  path: '/obj/read',
  group: 'Objects',
  name: 'Obj Read',
  description:
    'Reads one version. `digest` is a digest, `latest`, `v` and an index, or an alias. ' +
    'A deleted version is answered with 404 and `deleted_at`.',
  body: z
    .object({
      project_id: z.string(),
      object_id: text(),
      digest: text(),
      metadata_only: flag(),
      include_tags_and_aliases: flag(),
    })
    .meta({ id: 'ObjReadReq' }),
  answer: { kind: 'json', schema: z.object({ obj: objectSchema }).meta({ id: 'ObjReadRes' }) },
});
