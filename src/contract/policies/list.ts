import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { group, path, policyWithVersion } from './policy.ts';

export const policyList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'Policy List',
  description: 'The policies of a project by name, each with its active version.',
  params: projectParams,
  answer: { kind: 'json', schema: z.object({ policies: z.array(policyWithVersion) }).meta({ id: 'PolicyListRes' }) },
});
