import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { group, loopParams, path } from './loop.ts';

export const loopDelete = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{name}`,
  group,
  name: 'Loop Delete',
  description:
    'Deletes a loop with its turns. An open turn is canceled. Its models, gates and the versions of its policy stay.',
  params: loopParams,
  answer: { kind: 'json', schema: z.object({}) },
});
