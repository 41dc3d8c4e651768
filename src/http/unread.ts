import type { ServerResponse } from 'node:http';

/** Longer than this, no client leaves everything unread that it still means to read. */
export const unreadMaxMs = 60_000;

/**
 * Closes the connection of a client that reads nothing of its answer for too long: what it leaves unread is held in
 * memory. While nothing waits to be read, the answer may take as long as it needs.
 */
export function cutOffUnread(response: ServerResponse, maxMs = unreadMaxMs): void {
  // Everything that gets on begins the time anew; with the end of the answer, Node sets a time of its own.
  const check = () => {
    if (response.writableLength > 0) response.destroy();
    else response.setTimeout(maxMs);
  };
  response.setTimeout(maxMs, check);
}
