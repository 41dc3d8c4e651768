import { z } from 'zod';
import { anyObject } from '../chat/generation-fields.ts';
import { messages } from '../chat/messages.ts';
import { tools } from '../chat/tools.ts';
import { defineEndpoint } from '../endpoint.ts';
import { bool, int, optional } from '../wire.ts';

export const tokenize = defineEndpoint({
  method: 'POST',
  path: '/tokenize',
  group: 'Tokenization',
  name: 'Tokenize',
  description:
    'Turns a text (`prompt`) or a conversation (`messages`) into token ids, as vLLM does. Special tokens, such as one that begins ' +
    'every text, are added to a `prompt` by default, and not to `messages`, whose template writes them.',
  strictJson: true,
  errors: 'openai',
  body: z
    .object({
      model: optional(z.string()),
      prompt: optional(z.string()),
      messages: optional(messages),
      add_special_tokens: optional(bool()),
      /** Whether the response also has each token as the vocabulary spells it. */
      return_token_strs: optional(bool()),
      add_generation_prompt: bool().default(true),
      continue_final_message: bool().default(false),
      chat_template: optional(z.string()),
      chat_template_kwargs: optional(anyObject),
      tools,
    })
    .superRefine(({ prompt, messages: conversation }, context) => {
      if ((prompt === null) !== (conversation === null)) return;
      const params = { type: prompt === null ? 'missing' : 'value_error' };
      const message = prompt === null ? 'Field required, or messages' : 'Value error, send either prompt or messages';
      context.addIssue({ code: 'custom', path: ['prompt'], message, params, input: null });
    })
    .meta({ id: 'TokenizeRequest' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        count: int(),
        max_model_len: int(),
        tokens: z.array(int()),
        token_strs: optional(z.array(z.string())),
      })
      .meta({ id: 'TokenizeResponse' }),
  },
});
