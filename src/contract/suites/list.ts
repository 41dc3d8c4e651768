import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { group, path, suiteSchema } from './suite.ts';

export const suiteList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'Suite List',
  description: 'Lists the suites of a project, by name.',
  params: projectParams,
  answer: { kind: 'json', schema: z.object({ suites: z.array(suiteSchema) }).meta({ id: 'SuiteListRes' }) },
});
