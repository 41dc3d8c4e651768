import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional } from '../wire.ts';

export const tokenizerInfo = defineEndpoint({
  method: 'GET',
  path: '/tokenizer_info',
  group: 'Tokenization',
  name: 'Tokenizer Info',
  description:
    'The tokenizer and the chat template of a served model, in the names of `tokenizer_config.json`; without `model`, of the ' +
    'default model.',
  errors: 'openai',
  query: z.object({ model: optional(z.string()) }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        tokenizer_class: z.string(),
        model_max_length: int(),
        vocab_size: int(),
        chat_template: optional(z.string()),
        bos_token: optional(z.string()),
        eos_token: optional(z.string()),
        pad_token: optional(z.string()),
        unk_token: optional(z.string()),
        bos_token_id: optional(int()),
        eos_token_id: optional(int()),
      })
      .meta({ id: 'TokenizerInfo' }),
  },
});
