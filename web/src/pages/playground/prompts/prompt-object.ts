import { ask } from '../../../api/client.ts';
import { recordOf } from '../../../format/json.ts';
import { type Start, startOfMessages } from '../from-call.ts';
import { parametersOf, type Settings } from '../settings.ts';
import { type Content, type Message, messageOf } from '../use-chat.ts';

/** Publishes a version of a prompt as the SDKs do. They read its messages and ignore the settings. */
export async function savePrompt(
  project_id: string,
  name: string,
  messages: Message[],
  settings: Settings,
): Promise<void> {
  const classes = { _type: 'MessagesPrompt', _class_name: 'MessagesPrompt', _bases: ['Prompt', 'Object', 'BaseModel'] };
  const { model } = settings;
  const { temperature, max_tokens, seed } = parametersOf(settings) as Record<string, number | undefined>;
  const val = { ...classes, name, description: null, messages, settings: { model, temperature, max_tokens, seed } };
  await ask('POST /obj/create', { body: { obj: { project_id, object_id: name, val } } });
}

/** The conversation that a prompt object begins; null for any other object. A plain string is a user message. */
export function startOfPrompt(val: unknown): Start | null {
  const { content, messages, settings } = recordOf(val);
  const list = typeof content === 'string' ? [content] : messages;
  if (!Array.isArray(list)) return null;
  const given = list
    .map((each) => (typeof each === 'string' ? { role: 'user', content: each } : recordOf(each)))
    .filter((each): each is Message => typeof each.role === 'string');
  return startOfMessages(recordOf(settings), given);
}

/** What is on the page: the system prompt, the conversation, and the message that is being written. */
export function messagesOnPage(system: string, conversation: Message[], draft: Content): Message[] {
  return [...(system === '' ? [] : [{ role: 'system', content: system }]), ...conversation, ...messageOf(draft)];
}
