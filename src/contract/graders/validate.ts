import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { grader } from './grader.ts';

export const graderValidate = defineEndpoint({
  method: 'POST',
  path: '/v1/fine_tuning/alpha/graders/validate',
  group: 'Graders',
  name: 'Validate Grader',
  description:
    'Checks a grader without running it: its templates, labels, range and formula. Returns it if it is valid.',
  strictJson: true,
  errors: 'openaiPlatform',
  body: z.object({ grader }).meta({ id: 'ValidateGraderRequest' }),
  answer: { kind: 'json', schema: z.object({ grader }).meta({ id: 'ValidateGraderResponse' }) },
});
