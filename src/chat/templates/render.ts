import { invalidInput } from '../../util/failures.ts';
import { ChatTemplate } from './jinja/template.ts';
import { type ChatMessage, templateMessages, templateTool } from './messages.ts';

/** The inputs of a prompt, under the request's names. */
export type ChatPrompt = {
  messages: readonly ChatMessage[];
  tools?: readonly unknown[] | null;
  documents?: readonly unknown[] | null;
  addGenerationPrompt: boolean;
  continueFinalMessage: boolean;
  reasoningEffort?: string | null;
  templateKwargs?: Record<string, unknown> | null;
  /** `bos_token` and the like. */
  templateVariables: Record<string, string>;
  now: Date;
};

/** The prompt's text. Every failure is a `Failure`: the template and the messages do not match. */
export function renderChat(template: ChatTemplate, prompt: ChatPrompt): string {
  checkKwargs(prompt.templateKwargs);
  if (prompt.messages.length === 0)
    throw invalidInput('messages must hold at least one message.', { param: 'messages' });
  if (prompt.continueFinalMessage && prompt.addGenerationPrompt) {
    throw invalidInput('continue_final_message needs add_generation_prompt: false, which is true by default.', {
      param: 'continue_final_message',
    });
  }
  const messages = templateMessages(prompt.messages, template.readsContentParts ? 'parts' : 'string');
  if (!prompt.continueFinalMessage) return rendered(template, prompt, messages);
  return renderOpenEnded(template, prompt, messages);
}

/** Not read by templates: these control how the template is chosen and used. */
const forbiddenKwargs = ['chat_template', 'tokenize'];

function checkKwargs(kwargs: Record<string, unknown> | null | undefined): void {
  const found = forbiddenKwargs.find((name) => kwargs && name in kwargs);
  if (found) throw invalidInput(`chat_template_kwargs must not hold ${found}.`, { param: 'chat_template_kwargs' });
}

function rendered(template: ChatTemplate, prompt: ChatPrompt, messages: unknown[]): string {
  try {
    return template.render({ ...variablesOf(template, prompt), messages }, prompt.now);
  } catch (error) {
    throw invalidInput(`The chat template cannot render these messages: ${(error as Error).message}`, {
      param: 'messages',
    });
  }
}

/** Fields of the request take precedence over its own variables of the same name. */
function variablesOf(template: ChatTemplate, prompt: ChatPrompt): Record<string, unknown> {
  const { reasoningEffort, templateKwargs, templateVariables } = prompt;
  const mentioned = Object.entries(templateKwargs ?? {}).filter(([name]) => template.names.has(name));
  return {
    ...templateVariables,
    ...(reasoningEffort ? { enable_thinking: true } : {}),
    ...Object.fromEntries(mentioned),
    tools: prompt.tools?.map(templateTool) ?? null,
    documents: prompt.documents ?? null,
    add_generation_prompt: prompt.addGenerationPrompt,
    ...(reasoningEffort ? { reasoning_effort: reasoningEffort } : {}),
  };
}

const marker = 'CONTINUE_FINAL_MESSAGE_TAG ';

/** Renders with a marker at the end of the last message and cuts there. */
function renderOpenEnded(template: ChatTemplate, prompt: ChatPrompt, messages: Record<string, unknown>[]): string {
  const last = messages.at(-1)!;
  checkContinued(prompt.messages);
  const { content, text } = marked(last.content);
  const whole = rendered(template, prompt, [...messages.slice(0, -1), { ...last, content }]);
  const at = whole.lastIndexOf(marker.trim());
  if (at === -1 || !whole.includes(text.trim())) {
    throw invalidInput('continue_final_message: the chat template does not show the last message as it is.', {
      param: 'messages',
    });
  }
  const kept = whole.slice(0, at);
  return whole.startsWith(marker, at) ? kept : kept.trimEnd();
}

/** @throws Failure if the last message has nothing that could be continued */
export function checkContinued(messages: readonly object[]): void {
  const { content } = (messages.at(-1) ?? {}) as { content?: unknown };
  if (content !== null && content !== undefined) return;
  throw invalidInput('continue_final_message: the last message has no content to continue.', { param: 'messages' });
}

function marked(content: unknown): { content: unknown; text: string } {
  if (typeof content === 'string') return { content: content + marker, text: content };
  const parts = content as { type: 'text'; text: string }[];
  const last = parts.at(-1);
  if (!last)
    throw invalidInput('continue_final_message: the last message has no text to continue.', { param: 'messages' });
  return { content: [...parts.slice(0, -1), { ...last, text: last.text + marker }], text: last.text };
}

/** Parses a template; a malformed one is the caller's mistake. */
export function parseTemplate(source: string): ChatTemplate {
  try {
    return new ChatTemplate(source);
  } catch (error) {
    throw invalidInput(`chat_template cannot be read: ${(error as Error).message}`, { param: 'chat_template' });
  }
}
