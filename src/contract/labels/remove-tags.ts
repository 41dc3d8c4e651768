import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { tagsBody, versionParams } from './tags-body.ts';

export const objRemoveTags = defineEndpoint({
  method: 'POST',
  path: '/objs/{object_id}/versions/{digest}/tags/remove',
  group: 'Objects',
  name: 'Obj Remove Tags',
  description: 'Takes tags away from a version. Those it does not carry are passed over.',
  params: versionParams,
  body: tagsBody,
  answer: { kind: 'json', schema: z.object({}).meta({ id: 'ObjRemoveTagsRes' }) },
});
