import { DatabaseSync } from 'node:sqlite';

/**
 * Holds an exclusive SQLite transaction on a file, which is created if it is missing. The kernel ties this lock to the
 * process: it is released on `kill -9`, and it works across containers, where a process id in a file would refer to a
 * different process.
 * @returns a function that releases it; null if it is held, by another process or by this one
 */
export function lockFile(path: string): (() => void) | null {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    database.exec('BEGIN EXCLUSIVE');
    const held = database;
    locks.add(held);
    return () => {
      locks.delete(held);
      held.close();
    };
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return null;
    throw error;
  }
}

/** The garbage collector closes a database without references, which would release its lock. */
const locks = new Set<DatabaseSync>();

const sqliteBusy = 5;
