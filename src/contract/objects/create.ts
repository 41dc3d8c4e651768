import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { anyJson, optional, text } from '../wire.ts';

export const objCreate = defineEndpoint({
  method: 'POST',
  takesData: true,
  path: '/obj/create',
  group: 'Objects',
  name: 'Obj Create',
  description:
    'Publishes a version of an object or op and makes it `latest`. The same content again makes no new version. ' +
    'An `expected_digest` that differs from ours is answered with 409, and nothing is stored. So is an `expected_latest` ' +
    'that is not the digest of the version that `latest` names at that moment: publish with it what you edited.',
  body: z
    .object({
      obj: z
        .object({
          project_id: z.string(),
          object_id: text(),
          val: anyJson(),
          builtin_object_class: optional(text()),
          set_base_object_class: optional(text()).meta({ deprecated: true }),
          expected_digest: optional(z.string()),
          expected_latest: optional(text()),
          wb_user_id: optional(z.string()),
        })
        .meta({ id: 'ObjSchemaForInsert' }),
    })
    .meta({ id: 'ObjCreateReq' }),
  answer: {
    kind: 'json',
    schema: z.object({ digest: z.string(), object_id: optional(z.string()) }).meta({ id: 'ObjCreateRes' }),
  },
});
