import { openSession, type Session } from './session.ts';

/**
 * Each table has sessions of its own: inserting the row list of a large dataset takes a second, and calls must not wait
 * for it. Concurrent inserts into a table run in different sessions.
 */
export function openInserts(directory: string) {
  const idle = new Map<string, Session[]>();
  const sessions: Session[] = [];
  const open = () => {
    const session = openSession(directory, null);
    sessions.push(session);
    return session;
  };
  return {
    sessions,
    async insert(table: string, lines: Buffer): Promise<void> {
      const free = idle.get(table) ?? [];
      idle.set(table, free);
      const session = free.pop() ?? open();
      await session.insert(table, lines).finally(() => free.push(session));
    },
  };
}
