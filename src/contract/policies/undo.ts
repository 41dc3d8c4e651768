import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional, text } from '../wire.ts';
import { group, path, policyWithVersion } from './policy.ts';
import { policyParams } from './read.ts';

export const policyUndo = defineEndpoint({
  method: 'POST',
  path: `${path}/{name}/undo`,
  group,
  name: 'Policy Undo',
  description:
    'Makes a version equal to the one before the latest, or to `version`: the same units get the same variants as then.',
  params: policyParams,
  body: z.object({ version: optional(int()), reason: text().default('') }).meta({ id: 'PolicyUndoBody' }),
  answer: { kind: 'json', schema: policyWithVersion },
});
