import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { text } from '../wire.ts';
import { group, path, planFields, policyWithVersion } from './policy.ts';

export const policyCreate = defineEndpoint({
  method: 'POST',
  path,
  group,
  name: 'Policy Create',
  description:
    'Makes a policy: a name, `policy:///ENTITY/PROJECT/NAME`, that stands for several variants in every chat route. Its first version ' +
    'divides traffic as `traffic` says. 409 if the project has a policy of this name.',
  params: projectParams,
  body: z.object({ name: text(), reason: text().default(''), ...planFields }).meta({ id: 'PolicyCreateBody' }),
  answer: { kind: 'json', schema: policyWithVersion },
});
