import { BadRequest } from '../../bad-request.ts';
import { serve } from '../../isolation/serve.ts';
import { type ChatPrompt, parseTemplate, renderChat } from './render.ts';

/** The process that renders templates sent in requests: started by `untrusted-templates.ts`. */
export type RenderRequest = { template: string; prompt: ChatPrompt };
export type RenderReply = { text: string } | { refused: string; param: string | null };

const outputMax = 16 << 20;

serve(({ template, prompt }: RenderRequest): RenderReply => {
  try {
    const text = renderChat(parseTemplate(template), prompt);
    if (text.length > outputMax)
      return { refused: 'chat_template made a prompt that is too long.', param: 'chat_template' };
    return { text };
  } catch (error) {
    if (error instanceof BadRequest) return { refused: error.message, param: error.param };
    throw error;
  }
});
