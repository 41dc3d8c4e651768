import { queryOptions } from '@tanstack/react-query';
import type { Call } from './calls.ts';
import { ask, askBlob, askLines } from './client.ts';
import type { AnswerOf } from './contract.ts';

/** The messages of a call, which the server reads from payloads of any shape, and its other media. */
export type CallConversation = AnswerOf<'POST /calls/conversations'>;
export type Conversation = NonNullable<CallConversation['conversation']>;
export type Message = Conversation['input'][number];
export type MessagePart = Message['parts'][number];
export type Media = CallConversation['media'][number]['media'];
export type PlacedMedia = CallConversation['media'][number];

/** The conversation of one call; null if the call does not exist. It is read again when the call ends. */
export function conversationQuery(projectId: string, { id, ended_at }: Pick<Call, 'id' | 'ended_at'>) {
  return queryOptions({
    queryKey: ['call', projectId, id, 'conversation', ended_at ?? null],
    queryFn: async ({ signal }) => (await readConversations(projectId, [id], signal)).get(id) ?? null,
  });
}

/** The conversations of calls, by the ids of the calls. */
export async function readConversations(
  projectId: string,
  ids: string[],
  signal: AbortSignal,
): Promise<Map<string, CallConversation>> {
  if (ids.length === 0) return new Map();
  const body = { project_id: projectId, call_ids: ids };
  const lines = await askLines('POST /calls/conversations', { body }, { signal });
  return new Map(lines.map((line) => [line.id, line]));
}

/** The conversations of any number of calls, by the ids of the calls. */
export function conversationsQuery(projectId: string, ids: string[]) {
  return queryOptions({
    queryKey: ['calls', projectId, 'conversations', ids],
    queryFn: async ({ signal }) => {
      const found: [string, CallConversation][] = [];
      for (let start = 0; start < ids.length; start += callsMax) {
        found.push(...(await readConversations(projectId, ids.slice(start, start + callsMax), signal)));
      }
      return new Map(found);
    },
  });
}

/** What models answered, by the ids of their calls. Calls that are no chats are left out. */
export function answersQuery(projectId: string, ids: string[]) {
  return queryOptions({
    queryKey: ['calls', projectId, 'answers', ids],
    queryFn: async ({ signal }) => {
      const read = await readConversations(projectId, ids.slice(0, callsMax), signal);
      return new Map(
        [...read].flatMap(([id, { conversation: chat }]) =>
          chat?.is_chat && chat.output.length > 0 ? [[id, chat.output] as const] : [],
        ),
      );
    },
    enabled: ids.length > 0,
  });
}

/** What one request may ask for. */
const callsMax = 200;

/** The messages of a prompt, and the media in any object. */
export function objectConversationQuery(projectId: string, name: string, digest: string) {
  return queryOptions({
    queryKey: ['objects', projectId, 'conversation', name, digest],
    queryFn: ({ signal }) =>
      ask('POST /obj/conversation', { body: { project_id: projectId, object_id: name, digest } }, { signal }),
  });
}

/** A file of the project as a URL for images and sound. */
export function fileUrlQuery(projectId: string, digest: string, mimeType: string | null) {
  return queryOptions({
    queryKey: ['file', projectId, digest, 'url', mimeType],
    queryFn: async ({ signal }) => {
      const blob = await askBlob('POST /file/content', { body: { project_id: projectId, digest } }, { signal });
      return dataUrlOf(mimeType === null ? blob : new Blob([blob], { type: mimeType }));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A data URL needs no release, unlike the URL of a blob. */
function dataUrlOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read'));
    reader.readAsDataURL(blob);
  });
}
