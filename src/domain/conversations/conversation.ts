import type { LosslessJson } from '../../util/json/lossless.ts';

/**
 * The messages of a call in one form, whatever its sender wrote. `docs/conversations.md` describes it for readers of the API.
 */
export type Conversation = {
  input: Message[];
  output: Message[];
  /** False if a call only converts one text to another, which is not always a conversation. */
  isChat: boolean;
};

export type Message = {
  /** `system`, `user`, `assistant` or `tool`; other roles as they were sent, in lower case. */
  role: string;
  name: string | null;
  /** The number of the choice, if the model was asked for several. */
  choice: number | null;
  parts: Part[];
};

export type Part =
  | { type: 'text' | 'reasoning' | 'refusal'; text: string }
  | Media
  | { type: 'tool_call'; id: string | null; name: string; arguments: LosslessJson }
  | { type: 'tool_result'; id: string | null; name: string | null; result: LosslessJson }
  | { type: 'json'; value: LosslessJson };

export type MediaKind = 'image' | 'audio' | 'video' | 'file';

/** Something to look at or to listen to. */
export type Media = {
  type: MediaKind;
  /** An address: `data:` with the content itself, or where it is. Null if there is neither, or the content is too large. */
  url: string | null;
  mimeType: string | null;
  name: string | null;
  /** The digest of a file of the project, which has the content. */
  digest: string | null;
  /** The size of the content in bytes, if the payload has it. */
  bytes: number | null;
};

export function message(role: string, parts: Part[], name: string | null = null): Message {
  return { role, name, choice: null, parts };
}

export function textPart(text: string): Part {
  return { type: 'text', text };
}

/** The text of a message without its reasoning. */
export function textOf({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' || part.type === 'refusal' ? [part.text] : [])).join('\n');
}
