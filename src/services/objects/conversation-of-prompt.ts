import { promptMembers } from '../../domain/conversations/conversation-json.ts';
import { isLarge } from '../../util/large-text.ts';
import { workOn } from '../large/large.ts';

/** The messages of a prompt, as JSON text; large prompts are read in another thread. */
export async function conversationOfPrompt(value: string): Promise<string> {
  return `{${isLarge(value) ? await workOn('promptConversation', value) : promptMembers(value)}}`;
}
