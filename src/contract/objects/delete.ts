import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional, text } from '../wire.ts';
import { deletedVersionSchema } from './object.ts';

export const objDelete = defineEndpoint({
  method: 'POST',
  path: '/obj/delete',
  group: 'Objects',
  name: 'Obj Delete',
  description:
    'Deletes versions, named by digest, `latest` or `v` and an index; without `digests`, all of them. ' +
    'Where one of them is not found, nothing is deleted.',
  body: z
    .object({ project_id: z.string(), object_id: text(), digests: optional(z.array(text())) })
    .meta({ id: 'ObjDeleteReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({ num_deleted: int(), deleted_versions: optional(z.array(deletedVersionSchema)) })
      .meta({ id: 'ObjDeleteRes' }),
  },
});
