import type { Call } from '../../api/calls.ts';
import { chatMessagesOf, recordOf } from '../../format/call.ts';
import { isNumber } from '../../format/json.ts';
import type { Settings } from './settings.ts';
import type { Message } from './use-chat.ts';

export type Start = { settings: Partial<Settings>; before: Message[]; draft: string };

/**
 * What a call of a chat was asked, to be asked again: its system prompt and parameters as settings, its last message as
 * the draft, and what came before.
 */
export function startOf({ inputs }: Pick<Call, 'inputs'>): Start {
  const { model, temperature, max_tokens, max_completion_tokens, seed } = recordOf(inputs);
  const settings = { model, temperature, max_tokens: max_tokens ?? max_completion_tokens, seed };
  const given = Object.entries(settings).flatMap(([name, value]) =>
    typeof value === 'string' || isNumber(value) ? [[name, String(value)]] : [],
  );
  const messages = chatMessagesOf({ inputs });
  const [first] = messages;
  const system = first?.role === 'system' && typeof first.content === 'string' ? first.content : null;
  const rest = system === null ? messages : messages.slice(1);
  const last = rest.at(-1);
  const draft = last?.role === 'user' && typeof last.content === 'string' ? last.content : null;
  return {
    settings: { ...Object.fromEntries(given), ...(system === null ? {} : { system }) },
    before: draft === null ? rest : rest.slice(0, -1),
    draft: draft ?? '',
  };
}
