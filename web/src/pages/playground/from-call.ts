import { parametersOf } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import type { Conversation } from '../../api/conversations.ts';
import { chatMessagesOf, chatToolsOf } from '../../features/chat/chat-messages.ts';
import { isNumber, recordOf } from '../../format/json.ts';
import type { Settings } from './settings.ts';
import type { Message } from './use-chat.ts';

export type Start = {
  settings: Partial<Settings>;
  before: Message[];
  draft: string;
  /** Parts of the message that is being written, such as images. */
  attached: unknown[];
  /** Parameters of the request for which there is no field, such as `tools`. */
  more: Record<string, unknown>;
  /** In words, what of the call cannot be sent. */
  left: string[];
};

export const emptyStart: Start = { settings: {}, before: [], draft: '', attached: [], more: {}, left: [] };

/** What the model of a call was asked, in whatever form it was sent, to be asked again. */
export function startOf(call: Pick<Call, 'inputs' | 'attributes'>, asked: Conversation | null): Start {
  const given = parametersOf(call);
  const { messages, left } = asked ? chatMessagesOf(asked.input) : { messages: [], left: [] };
  const tools = asked ? chatToolsOf(asked) : [];
  const choice = tools.length > 0 && typeof given.tool_choice === 'string' ? { tool_choice: given.tool_choice } : {};
  const start = startOfMessages(given, messages);
  return { ...start, more: { ...start.more, ...(tools.length > 0 ? { tools, ...choice } : {}) }, left };
}

/** The system prompt and parameters as settings, the last message as the draft, and what comes before it. */
export function startOfMessages(given: Record<string, unknown>, messages: Message[]): Start {
  const find = (...names: string[]) => names.map((name) => given[name]).find((value) => value != null);
  const limit = find('max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens');
  const fields = { model: given.model, temperature: given.temperature, max_tokens: limit, seed: given.seed };
  const settings = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'string' || isNumber(value) ? [[name, String(value)]] : [],
  );
  const penalties = {
    presence_penalty: find('presence_penalty', 'presencePenalty'),
    frequency_penalty: find('frequency_penalty', 'frequencyPenalty'),
  };
  const numbers = Object.entries({ top_p: find('top_p', 'topP'), ...penalties }).filter(([, value]) => isNumber(value));
  const stop = find('stop', 'stop_sequences', 'stopSequences');
  const more = { ...Object.fromEntries(numbers), ...(stop === undefined ? {} : { stop }) };
  const [first] = messages;
  const system = first?.role === 'system' && typeof first.content === 'string' ? first.content : null;
  const rest = system === null ? messages : messages.slice(1);
  const draft = draftOf(rest.at(-1));
  return {
    ...emptyStart,
    settings: { ...Object.fromEntries(settings), ...(system === null ? {} : { system }) },
    ...{ before: draft === null ? rest : rest.slice(0, -1), more },
    ...{ draft: draft?.text ?? '', attached: draft?.attached ?? [] },
  };
}

function draftOf(last: Message | undefined): { text: string; attached: unknown[] } | null {
  if (last?.role !== 'user') return null;
  if (typeof last.content === 'string') return { text: last.content, attached: [] };
  if (!Array.isArray(last.content)) return null;
  const text = last.content.find((part) => typeof recordOf(part).text === 'string');
  return { text: (recordOf(text).text as string | undefined) ?? '', attached: last.content.filter((p) => p !== text) };
}
