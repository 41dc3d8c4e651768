import type { ServerResponse } from 'node:http';

/** A client that still means to read its response does not leave everything unread for longer than this. */
export const unreadMaxMs = 60_000;

/**
 * Closes the connection of a client that reads nothing of its response for too long, because unread data is held in
 * memory. While no data is waiting, the response may take as long as it needs.
 */
export function cutOffUnread(response: ServerResponse, maxMs = unreadMaxMs): void {
  // Progress restarts the timeout; at the end of the response, Node sets its own.
  const check = () => {
    if (response.writableLength > 0) response.destroy();
    else response.setTimeout(maxMs);
  };
  response.setTimeout(maxMs, check);
}
