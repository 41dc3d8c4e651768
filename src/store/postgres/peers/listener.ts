import { setTimeout } from 'node:timers/promises';
import pg from 'pg';

/** A connection that listens to a channel of the server. */
export type Listener = {
  /** False while it is being opened again: announcements are missed then. */
  isConnected(): boolean;
  close(): Promise<void>;
};

/**
 * Listens on a channel, and opens a lost connection again. The address must be the server's own: poolers pass nothing on.
 * @param onNotice called with the payload of each notification, and with an empty one when the connection is open again, since
 *   something may have been missed
 */
export function openListener(
  connection: pg.ClientConfig,
  channel: string,
  onNotice: (payload: string) => void,
): Listener {
  let client: pg.Client | null = null;
  let isClosed = false;
  const working = listen();

  async function listen(): Promise<void> {
    for (let waitMs = firstMs; !isClosed; ) {
      const opened = new pg.Client(connection);
      const ended = new Promise((resolve) => opened.once('end', resolve));
      opened.on('error', () => {}); // `end` follows
      opened.on('notification', ({ payload = '' }) => onNotice(payload));
      try {
        await opened.connect();
        await opened.query(`LISTEN ${opened.escapeIdentifier(channel)}`);
        client = opened;
        waitMs = firstMs;
        if (isClosed) await opened.end();
        else onNotice('');
        await ended;
      } catch {
        await opened.end().catch(() => {});
      }
      client = null;
      if (!isClosed) await setTimeout(waitMs, undefined, { ref: false });
      waitMs = Math.min(2 * waitMs, longestMs);
    }
  }

  return {
    isConnected: () => client !== null,
    async close() {
      isClosed = true;
      await client?.end().catch(() => {});
      await Promise.race([working, setTimeout(longestMs, undefined, { ref: false })]);
    },
  };
}

const firstMs = 100;
const longestMs = 2000;
