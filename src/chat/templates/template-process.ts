import { Failure } from '../../util/failures.ts';
import { serveIsolated } from '../../util/workers/serve-isolated.ts';
import { type ChatPrompt, parseTemplate, renderChat } from './render.ts';

/** The process that renders templates sent in requests: started by `untrusted-templates.ts`. */
export type RenderRequest = { template: string; prompt: ChatPrompt };
export type RenderReply = { text: string } | { refused: string; extra: Failure['extra'] };

/** No more than a request could contain as text itself. */
const outputMax = 4 << 20;

serveIsolated(({ template, prompt }: RenderRequest): RenderReply => {
  try {
    const text = renderChat(parseTemplate(template), prompt);
    if (text.length <= outputMax) return { text };
    const found = `chat_template makes a prompt of ${text.length} characters`;
    return { refused: `${found}; it may have at most ${outputMax}.`, extra: { param: 'chat_template' } };
  } catch (error) {
    if (error instanceof Failure) return { refused: error.message, extra: error.extra };
    throw error;
  }
});
