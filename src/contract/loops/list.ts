import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { group, loopSchema, path } from './loop.ts';

export const loopList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'Loop List',
  description: 'The loops of a project by name, each with its latest turn.',
  params: projectParams,
  answer: { kind: 'json', schema: z.object({ loops: z.array(loopSchema) }).meta({ id: 'LoopListRes' }) },
});
