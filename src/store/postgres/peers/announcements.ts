import { sql } from 'kysely';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Topic } from '../../peers/peers.ts';
import type { Postgres } from '../postgres.ts';

/** Notifications that nobody waits for. Unlike notices, they have no rows, and are lost while a process does not listen. */
export type Announcements = {
  send(topic: Topic, key: string): void;
  /** @returns null for one of this process */
  read(payload: string): { topic: Topic; key: string } | null;
};

/** Those that are equal are sent one after another: each that comes meanwhile is part of the next one. */
export function openAnnouncements(
  { db }: Pick<Postgres, 'db'>,
  { process, channel }: { process: string; channel: string },
): Announcements {
  /** What is being sent, and whether it is to be sent again. */
  const sending = new Map<string, boolean>();

  async function send(payload: string): Promise<void> {
    do {
      sending.set(payload, false);
      await sql`SELECT pg_notify(${channel}, ${payload})`.execute(db);
    } while (sending.get(payload));
  }

  return {
    send(topic, key) {
      const payload = JSON.stringify([process, topic, key]);
      if (sending.has(payload)) {
        sending.set(payload, true);
        return;
      }
      void send(payload)
        .catch(() => {})
        .finally(() => sending.delete(payload));
    },
    read(payload) {
      const [from, topic, key] = parsePlain(payload) as [string, Topic, string]; // as `send` wrote it
      return from === process ? null : { topic, key };
    },
  };
}
