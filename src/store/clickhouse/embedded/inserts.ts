import { StoreError } from '../store-error.ts';
import { openSession, type Session } from './session.ts';

/**
 * Each table has sessions of its own: inserting the row list of a large dataset takes a second, and calls must not wait
 * for it. Concurrent inserts into a table run in different sessions.
 */
export function openInserts(directory: string) {
  const idle = new Map<string, Session[]>();
  const sessions: Session[] = [];
  let isClosed = false;
  const open = (table: string) => {
    if (isClosed) throw new StoreError(`INSERT on ${table}`, null, 'the store is closed');
    const session = openSession(directory, null);
    sessions.push(session);
    return session;
  };
  return {
    async insert(table: string, lines: Buffer): Promise<void> {
      const free = idle.get(table) ?? [];
      idle.set(table, free);
      const session = free.pop() ?? open(table);
      await session.insert(table, lines).finally(() => free.push(session));
    },
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all(sessions.map((each) => each.close()));
    },
  };
}
