import type { ChatTemplate } from '../../chat/templates/jinja/template.ts';
import type { ChatMessage } from '../../chat/templates/messages.ts';
import { renderChat } from '../../chat/templates/render.ts';
import { type ServedText, templateFor } from '../../chat/tokenizer/served-text.ts';
import { invalidInput } from '../../util/failures.ts';
import type { Rendering } from './history-tokens.ts';
import { vocabularyOf } from './vocabulary.ts';

/** Renders messages as text. @throws Failure for messages that the template does not take */
export type RenderText = (
  messages: readonly ChatMessage[],
  tools: unknown[] | null,
  addGenerationPrompt: boolean,
  template?: ChatTemplate,
) => string;

/**
 * Renders conversations as the chat endpoint does, so that a prompt that is rendered again equals the one that was
 * answered.
 */
export function openRendering(text: ServedText, now: Date): Rendering {
  const rendered = openRenderText(text, now);
  return {
    vocabulary: vocabularyOf(text.tokenizer),
    promptIds: (messages, tools) => text.tokenizer.encode(rendered(messages, tools, true)),
    answerIds(messages, tools, promptIds) {
      const prompt = rendered(messages.slice(0, -1), tools, true);
      const whole = rendered(messages, tools, false);
      if (!whole.startsWith(prompt)) {
        throw invalidInput('the chat template does not show an answer behind its prompt', { param: 'messages' });
      }
      const ids = text.tokenizer.encode(whole);
      const isContinued = promptIds.every((id, place) => ids[place] === id);
      return isContinued ? ids.slice(promptIds.length) : text.tokenizer.encode(whole.slice(prompt.length));
    },
  };
}

/** All texts have one time, also where a template shows it. */
export function openRenderText(text: ServedText, now: Date): RenderText {
  return (messages, tools, addGenerationPrompt, given) => {
    const template = given ?? templateFor(text, (tools ?? []).length > 0)?.template;
    if (!template) throw invalidInput('This model has no chat template.', { param: 'messages' });
    const shared = { continueFinalMessage: false, templateVariables: text.templateVariables, now };
    const known = tools && tools.length > 0 ? tools.map(withTextParameters) : null;
    return renderChat(template, { messages, tools: known, addGenerationPrompt, ...shared });
  };
}

/** A tool as the chat endpoint gives it to templates: a function, with its parameters as text. */
function withTextParameters(tool: unknown): unknown {
  const { function: fields } = tool as { function?: { parameters?: unknown } };
  const wrapped = fields === undefined ? { type: 'function', function: tool as { parameters?: unknown } } : tool;
  const inner = (wrapped as { function: { parameters?: unknown } }).function;
  if (typeof inner.parameters !== 'object' || inner.parameters === null) return wrapped;
  return { ...(wrapped as object), function: { ...inner, parameters: JSON.stringify(inner.parameters) } };
}
