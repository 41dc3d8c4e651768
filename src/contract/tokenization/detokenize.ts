import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional } from '../wire.ts';

export const detokenize = defineEndpoint({
  method: 'POST',
  path: '/detokenize',
  group: 'Tokenization',
  name: 'Detokenize',
  description: 'Turns token ids into text, as vLLM does. Special tokens are part of it.',
  strictJson: true,
  errors: 'openai',
  body: z.object({ model: optional(z.string()), tokens: z.array(int()) }).meta({ id: 'DetokenizeRequest' }),
  answer: { kind: 'json', schema: z.object({ prompt: z.string() }).meta({ id: 'DetokenizeResponse' }) },
});
