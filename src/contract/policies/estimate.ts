import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';
import { group, path, shares } from './policy.ts';
import { policyParams } from './read.ts';

const mean = () => z.object({ mean: z.number(), lower: z.number(), upper: z.number() });

export const policyEstimate = defineEndpoint({
  method: 'POST',
  path: `${path}/{name}/estimate`,
  group,
  name: 'Policy Estimate',
  description:
    'Estimates the mean reward, between 0 and 1, that other shares of the variants would have had, by a scorer of the policy: from the ' +
    'units of the current experiment whose windows have closed, with intervals of 95 %. `refused` where these units say too little.',
  params: policyParams,
  body: z.object({ shares: shares(), reward: text() }).meta({ id: 'PolicyEstimateBody' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        versions: z.array(z.int()),
        units: z.int(),
        missing: z.int(),
        estimate: z.discriminatedUnion('kind', [
          z.object({
            kind: z.literal('estimated'),
            effective_size: z.number(),
            ips: mean(),
            self_normalized: mean(),
            doubly_robust: mean(),
          }),
          z.object({
            kind: z.literal('refused'),
            effective_size: z.number(),
            reason: z.enum(['no-units', 'no-support', 'small-effective-size', 'dominant-weight']),
            message: z.string(),
          }),
        ]),
      })
      .meta({ id: 'PolicyEstimateRes' }),
  },
});
