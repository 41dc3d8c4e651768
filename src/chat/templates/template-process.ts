import { Failure, invalidInput } from '../../util/failures.ts';
import { serveIsolated } from '../../util/workers/serve-isolated.ts';
import { TextTemplate } from './jinja/text-template.ts';
import { parseJson } from './jinja/values.ts';
import { type ChatPrompt, parseTemplate, renderChat } from './render.ts';

/**
 * The process that renders templates sent in requests: started by `untrusted-templates.ts`. `variables` is the JSON text of what a
 * text template is filled in with.
 */
export type RenderRequest = { template: string; prompt: ChatPrompt } | { template: string; variables: string };
export type RenderReply = { text: string } | { refused: string; extra: Failure['extra'] };

/** No more than a request could contain as text itself. */
const outputMax = 4 << 20;

serveIsolated((request: RenderRequest): RenderReply => {
  try {
    const text = rendered(request);
    if (text.length <= outputMax) return { text };
    const found = `${nameOf(request)} makes a prompt of ${text.length} characters`;
    return { refused: `${found}; it may have at most ${outputMax}.`, extra: { param: 'chat_template' } };
  } catch (error) {
    if (error instanceof Failure) return { refused: error.message, extra: error.extra };
    throw error;
  }
});

function rendered(request: RenderRequest): string {
  if ('prompt' in request) return renderChat(parseTemplate(request.template), request.prompt);
  try {
    return new TextTemplate(request.template).render(parseJson(request.variables) as Record<string, unknown>);
  } catch (error) {
    throw invalidInput((error as Error).message);
  }
}

function nameOf(request: RenderRequest): string {
  return 'prompt' in request ? 'chat_template' : 'The template';
}
