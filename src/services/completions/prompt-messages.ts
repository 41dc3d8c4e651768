import type { Caller } from '../../identity/identity.ts';
import { invalidInput } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Project } from '../owner.ts';
import { listMember, type ObjectReader, stringMember } from './read-object.ts';

/** The messages of a published prompt; none if no prompt is named. @throws Failure */
export async function promptMessages(
  objects: ObjectReader,
  prompt: string | null,
  of: { project: Project; caller: Caller },
): Promise<JsonText[]> {
  if (prompt === null || prompt === '') return [];
  const members = await objects.read('Prompt', prompt, of);
  const messages = listMember(members, 'messages');
  if (messages !== null) return messages.map(asMessage);
  const content = stringMember(members, 'content');
  if (stringMember(members, '_class_name') === 'StringPrompt' && content !== null) return [user(content)];
  throw invalidInput(`${prompt.slice(0, 300)} is not a prompt with messages (a Prompt or a MessagesPrompt).`);
}

/** A `MessagesPrompt` may have plain strings among its messages. */
function asMessage(message: JsonText): JsonText {
  return message.kind === 'string' ? user(parsePlain(message.text)) : message;
}

function user(content: string): JsonText {
  return new JsonText(JSON.stringify({ role: 'user', content }));
}
