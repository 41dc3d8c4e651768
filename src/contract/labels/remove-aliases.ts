import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';

export const objRemoveAliases = defineEndpoint({
  method: 'POST',
  path: '/objs/{object_id}/aliases/remove',
  group: 'Objects',
  name: 'Obj Remove Aliases',
  description: 'Takes aliases away from an object. Those it does not have are passed over.',
  params: z.object({ object_id: text() }),
  body: z.object({ project_id: z.string(), aliases: z.array(text()) }).meta({ id: 'ObjRemoveAliasesBody' }),
  answer: { kind: 'json', schema: z.object({}).meta({ id: 'ObjRemoveAliasesRes' }) },
});
