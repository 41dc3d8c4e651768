import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { tagsBody, versionParams } from './tags-body.ts';

export const objAddTags = defineEndpoint({
  method: 'PUT',
  path: '/objs/{object_id}/versions/{digest}/tags',
  group: 'Objects',
  name: 'Obj Add Tags',
  description: 'Adds tags to a version, named by its digest. Many versions may carry one tag.',
  params: versionParams,
  body: tagsBody,
  answer: { kind: 'json', schema: z.object({}).meta({ id: 'ObjAddTagsRes' }) },
});
