import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional, text } from '../wire.ts';
import { group, path, planFields, policyWithVersion } from './policy.ts';
import { policyParams } from './read.ts';

export const policyAddVersion = defineEndpoint({
  method: 'POST',
  path: `${path}/{name}/versions`,
  group,
  name: 'Policy Add Version',
  description:
    'Makes the next version of a policy, such as its next stage. Every process uses it by the time of the answer. As few units ' +
    'as possible get another variant. 409 if `expected_version` is not the latest version.',
  params: policyParams,
  body: z
    .object({ reason: text().default(''), expected_version: optional(int()), ...planFields })
    .meta({ id: 'PolicyAddVersionBody' }),
  answer: { kind: 'json', schema: policyWithVersion },
});
