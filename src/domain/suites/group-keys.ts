import { isObject, ownMember } from '../../util/json/own-member.ts';

/** The trace, the thread and the user of a row or a call, as keys: rows that share one are not independent of each other. */
export type GroupKey = `${'trace' | 'thread' | 'user'}:${string}`;

/** Names that programs send for users they do not know. */
const placeholders: ReadonlySet<string> = new Set([
  ...['', '0', '-', 'anonymous', 'anon', 'default', 'guest', 'n/a', 'na', 'nil', 'none', 'null', 'test', 'undefined'],
  ...['unknown', 'user', 'user_id', 'userid'],
]);

function isPlaceholderUser(user: string): boolean {
  return placeholders.has(user.trim().toLowerCase());
}

type CallFields = { traceId: string; threadId: string; attributes: unknown; inputs: unknown };

/** The keys of a call. Its user is the attribute `user_id`, or what the request to the model names as `user`. */
export function groupKeysOfCall({ traceId, threadId, attributes, inputs }: CallFields): GroupKey[] {
  const user = textOf(ownMember(attributes, 'user_id')) ?? textOf(ownMember(inputs, 'user'));
  return keysOf({ trace: textOf(traceId), thread: textOf(threadId), user });
}

/** The keys that the fields of a row say. @param threadColumns further fields that name the thread */
export function groupKeysOfRow(row: unknown, threadColumns: readonly string[]): GroupKey[] {
  if (!isObject(row)) return [];
  const threads = ['thread_id', ...threadColumns].map((column) => textOf(ownMember(row, column)));
  const user = textOf(ownMember(row, 'user_id')) ?? textOf(ownMember(row, 'user'));
  return [
    ...keysOf({ trace: textOf(ownMember(row, 'trace_id')), thread: null, user }),
    ...threads.flatMap((thread) => keysOf({ trace: null, thread, user: null })),
  ];
}

function keysOf({ trace, thread, user }: Record<'trace' | 'thread' | 'user', string | null>): GroupKey[] {
  return [
    ...(trace === null ? [] : [`trace:${trace}` as const]),
    ...(thread === null ? [] : [`thread:${thread}` as const]),
    ...(user === null || isPlaceholderUser(user) ? [] : [`user:${user}` as const]),
  ];
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

const userShareMax = 0.2;
const userRowsMin = 8;

/**
 * Users who have so many rows that their name does not name a person, such as that of a service: more than a fifth of the rows, and more
 * than eight.
 */
export function sharedUsers(rows: Iterable<readonly GroupKey[]>): Set<GroupKey> {
  const counts = new Map<GroupKey, number>();
  let total = 0;
  for (const keys of rows) {
    total++;
    for (const key of new Set(keys)) if (key.startsWith('user:')) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const most = Math.max(userRowsMin, userShareMax * total);
  return new Set([...counts].flatMap(([key, count]) => (count > most ? [key] : [])));
}
