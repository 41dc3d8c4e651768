import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';

export const objSetAliases = defineEndpoint({
  method: 'PUT',
  path: '/objs/{object_id}/aliases',
  group: 'Objects',
  name: 'Obj Set Aliases',
  description:
    'Lets aliases stand at a version, named by its digest; one that stood at another version of the object moves. ' +
    '`latest` and `v` with a number are not aliases.',
  params: z.object({ object_id: text() }),
  body: z
    .object({ project_id: z.string(), digest: text(), aliases: z.array(z.string()) })
    .meta({ id: 'ObjSetAliasesBody' }),
  answer: { kind: 'json', schema: z.object({}).meta({ id: 'ObjSetAliasesRes' }) },
});
