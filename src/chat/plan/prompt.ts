import { setImmediate } from 'node:timers/promises';
import type { ChatRequest } from '../../contract/chat/request.ts';
import { invalidInput } from '../../util/failures.ts';
import type { ChatMessage } from '../templates/messages.ts';
import { type ChatPrompt, renderChat } from '../templates/render.ts';
import { type OwnTemplate, type ServedText, templateFor } from '../tokenizer/served-text.ts';
import { requestedTokens, truncatedPrompt } from './lengths.ts';

/** A conversation as the model reads it. */
export type Prompt = {
  text: string;
  ids: readonly number[];
  /** The template it was rendered with, which also shows how the model writes calls and reasoning. */
  template: string | null;
};

export type Rendering = {
  /** Templates may write the date. */
  now: Date;
  /** Renders a template from the request. */
  renderUntrusted(template: string, prompt: ChatPrompt): Promise<string>;
};

/** Renders the messages and tokenizes them. A template of the request is rendered in a process with limits. */
export async function promptOf(
  body: ChatRequest,
  text: ServedText,
  contextLength: number,
  rendering: Rendering,
): Promise<Prompt> {
  const requested = requestedTokens(body, contextLength)?.tokens ?? 0;
  const rendered = await renderedPrompt(body, text, rendering);
  if (body.truncate_prompt_tokens == null) await refuseFarTooLong(rendered, text, contextLength);
  const ids = text.tokenizer.encode(rendered, { addSpecialTokens: body.add_special_tokens });
  return {
    text: rendered,
    ids: truncatedPrompt(ids, body.truncate_prompt_tokens, requested, contextLength),
    template: ownTemplate(body, text)?.source ?? body.chat_template,
  };
}

/**
 * Rejects a prompt of megabytes before it is tokenized completely, which takes seconds: tokenizes it in pieces, one per
 * turn of the event loop, until there are too many tokens. At the cuts, a word may become a few more tokens than it
 * has.
 */
export async function refuseFarTooLong(rendered: string, text: ServedText, contextLength: number): Promise<void> {
  if (rendered.length < longCharactersMin) return;
  const tokensMax = contextLength + Math.ceil(rendered.length / charactersInPiece) * tokensOfCut;
  let tokens = 0;
  for (let start = 0; start < rendered.length; start += charactersInPiece) {
    tokens += text.tokenizer.encode(rendered.slice(start, start + charactersInPiece)).length;
    if (tokens > tokensMax) {
      throw invalidInput(
        `This model's maximum context length is ${contextLength} tokens. The prompt has more than that. Shorten the messages.`,
        { param: 'input_tokens' },
      );
    }
    await setImmediate();
  }
}

const longCharactersMin = 256 * 1024;
const charactersInPiece = 32 * 1024;
const tokensOfCut = 64;

/** The text of a conversation as its template writes it. @throws Failure */
export async function renderedPrompt(
  body: ChatRequest,
  text: ServedText,
  { now, renderUntrusted }: Rendering,
): Promise<string> {
  const prompt: ChatPrompt = {
    messages: body.messages as ChatMessage[],
    tools: body.tools && body.tools.length > 0 ? body.tools : null,
    documents: body.documents,
    addGenerationPrompt: body.add_generation_prompt ?? true,
    continueFinalMessage: body.continue_final_message,
    reasoningEffort: body.reasoning_effort,
    templateKwargs: body.chat_template_kwargs,
    templateVariables: text.templateVariables,
    now,
  };
  const own = ownTemplate(body, text);
  if (own) return renderChat(own.template, prompt);
  if (body.chat_template !== null) return renderUntrusted(body.chat_template, prompt);
  throw invalidInput('This model has no chat template of its own. Send one as chat_template.', {
    param: 'chat_template',
  });
}

/**
 * The model's template that a request names, or the default; null if the request has its own, or the model has none.
 */
function ownTemplate({ chat_template: wanted, tools }: ChatRequest, text: ServedText): OwnTemplate | null {
  if (wanted === null) return templateFor(text, (tools ?? []).length > 0);
  const named = text.templates.get(wanted);
  if (named) return named;
  // Used as a template, something that looks like a name would be a prompt without the conversation.
  if (!/^\w+$/.test(wanted)) return null;
  const names = [...text.templates.keys()].join(', ') || 'no templates';
  throw invalidInput(`chat_template names ${wanted}, and the model has ${names}.`, { param: 'chat_template' });
}

/** What `echo` puts first: the last message, if it has the role of the answer. */
export function echoedText({ echo, messages, add_generation_prompt: adds }: ChatRequest): string | null {
  const last = messages.at(-1);
  if (!echo || !last || (last.role !== 'assistant' && adds !== false)) return null;
  if (typeof last.content === 'string') return last.content;
  const strings = (last.content ?? []).map((part) => (typeof part === 'string' ? part : part.text));
  return strings.filter((each) => typeof each === 'string').join('\n');
}

/** The role of the answer: that of the last message if it is continued. */
export function answerRole({ messages, add_generation_prompt: adds }: ChatRequest): string {
  return adds === false ? (messages.at(-1)?.role ?? 'assistant') : 'assistant';
}
