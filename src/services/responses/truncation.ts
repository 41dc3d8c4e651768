import type { TextGeneration } from '../../chat/types.ts';
import type { InputItem } from '../../contract/responses/items.ts';
import type { ResponseRequest } from '../../contract/responses/request.ts';
import { Failure } from '../../util/failures.ts';

type Send = (items: readonly InputItem[], signal: AbortSignal) => Promise<TextGeneration>;

/**
 * Starts the answer to items. With `truncation` `auto`, a conversation that is too long for the model loses its first
 * turns, as few as possible; instructions stay.
 * @throws Failure if the last turn alone is too long
 */
export async function withinContext(
  truncation: ResponseRequest['truncation'],
  items: readonly InputItem[],
  send: Send,
  signal: AbortSignal,
): Promise<TextGeneration> {
  try {
    return await send(items, signal);
  } catch (error) {
    if (truncation !== 'auto' || !isTooLong(error)) throw error;
    return startShorter(items, error as Error, send, signal);
  }
}

/** Each later turn to begin with makes the conversation shorter, so half of those that are left are excluded at a time. */
async function startShorter(items: readonly InputItem[], tooLong: Error, send: Send, signal: AbortSignal) {
  const turns = turnsOf(items);
  let [low, high] = [1, turns.length - 1];
  let best: { generation: TextGeneration; cancel: () => void } | null = null;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const found = await attempt(since(items, turns[middle]!), send, signal);
    if (found === null) low = middle + 1;
    else {
      best?.cancel();
      best = found;
      high = middle - 1;
    }
  }
  if (best === null) throw tooLong;
  return best.generation;
}

async function attempt(items: readonly InputItem[], send: Send, signal: AbortSignal) {
  const canceled = new AbortController();
  try {
    const generation = await send(items, AbortSignal.any([signal, canceled.signal]));
    return { generation, cancel: () => canceled.abort() };
  } catch (error) {
    if (isTooLong(error)) return null;
    throw error;
  }
}

/** Where turns begin: with messages of the user, so that no output loses its call. */
function turnsOf(items: readonly InputItem[]): number[] {
  return items.flatMap((item, index) => (isMessage(item) && item.role === 'user' ? [index] : []));
}

function since(items: readonly InputItem[], first: number): InputItem[] {
  return items.filter(
    (item, index) => index >= first || (isMessage(item) && /^(system|developer)$/.test(item.role ?? '')),
  );
}

function isMessage({ type }: InputItem): boolean {
  return type == null || type === 'message';
}

function isTooLong(error: unknown): boolean {
  return error instanceof Failure && error.extra.param === 'input_tokens';
}
