import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { group, path } from './policy.ts';
import { policyParams } from './read.ts';

export const policyDelete = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{name}`,
  group,
  name: 'Policy Delete',
  description: 'Deletes a policy with its versions. The calls that it assigned stay.',
  params: policyParams,
  answer: { kind: 'json', schema: z.object({}) },
});
