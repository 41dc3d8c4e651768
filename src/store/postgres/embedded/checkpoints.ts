import type { LastingPglite } from './lasting-pglite.ts';

/** Bytes of WAL after which a checkpoint lets PostgreSQL reuse the files. */
const logBytesMax = 16 * 1024 * 1024;
const lookEveryMs = 10_000;

/**
 * Makes checkpoints. Embedded PostgreSQL makes none before it is closed: its WAL, and with it the time to open the
 * store after a crash, would grow as long as the server runs.
 */
export function openCheckpoints(pglite: LastingPglite): { close(): Promise<void> } {
  let position = '0/0';
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const written = await bytesSince(pglite, position);
    if (written.bytes < logBytesMax && position !== '0/0') return;
    if (position !== '0/0') await pglite.exec('CHECKPOINT');
    position = written.position;
  }

  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => {}); // the next user of the store sees that it has stopped
  }, lookEveryMs).unref();
  return {
    async close() {
      clearInterval(timer);
      await looking;
    },
  };
}

async function bytesSince(pglite: LastingPglite, position: string): Promise<{ position: string; bytes: number }> {
  const { rows } = await pglite.query<{ position: string; bytes: string }>(
    'SELECT at::text AS position, pg_wal_lsn_diff(at, $1::pg_lsn)::text AS bytes FROM pg_current_wal_insert_lsn() AS at',
    [position],
  );
  return { position: rows[0]!.position, bytes: Number(rows[0]!.bytes) };
}
