import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { text } from '../wire.ts';
import { group, path, policyHead, policyVersion } from './policy.ts';

export const policyParams = projectParams.extend({ name: text() });

export const policyRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{name}`,
  group,
  name: 'Policy Read',
  description:
    'A policy with all its versions, the newest first, and what was last found about each: what its variants were assigned, and the ' +
    'outcomes whose feedback windows have closed.',
  params: policyParams,
  answer: {
    kind: 'json',
    schema: z.object({ ...policyHead, versions: z.array(policyVersion) }).meta({ id: 'PolicyReadRes' }),
  },
});
