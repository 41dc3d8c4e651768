import { createHash } from 'node:crypto';
import type { ChatRequest } from '../../contract/chat/request.ts';
import { isChat, type TextGenerationRequest } from '../types.ts';

/**
 * Identifies the beginning of a prompt. All turns of a conversation have the same one, so they go to the process, or the server, that
 * keeps the turns before: it covers the messages up to the first one of the user, and what templates write before them. What follows is
 * left out, because it differs from turn to turn; conversations that share more than that also share their process. Ending it
 * sooner, such as after the instructions, would send all conversations of an application to one process.
 */
export function beginningOf(body: TextGenerationRequest['body']): string {
  const hash = createHash('sha256').update(`${body.cache_salt ?? ''}\n`);
  if (isChat(body)) for (const part of firstParts(body)) hash.update(part);
  else if (typeof body.prompt === 'string') hash.update(body.prompt.slice(0, textCharacters));
  else hash.update(body.prompt.slice(0, textTokens).join());
  return hash.digest('hex');
}

/** Texts without a template grow at their end; their conversations are not marked. */
const textCharacters = 512;
const textTokens = 128;

function* firstParts({ messages, tools, chat_template }: ChatRequest): Generator<string> {
  yield JSON.stringify([chat_template, tools ?? null]);
  for (const { role, content } of messages) {
    yield `\n${role}\n${typeof content === 'string' ? content : JSON.stringify(content ?? null)}`;
    if (role === 'user') return;
  }
}
