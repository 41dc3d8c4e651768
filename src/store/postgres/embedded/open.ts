import { sql } from 'kysely';
import { openLatency } from '../../latency.ts';
import type { OpenedStore } from '../../opened-store.ts';
import type { Postgres } from '../postgres.ts';
import { checkPages, describeDamagedPages, pagesAdvice } from './check-pages.ts';
import { type EmbeddedPostgresOptions, openEmbeddedPostgres } from './embedded-postgres.ts';

/** PostgreSQL inside the process, on a directory. @throws StoreUnusableError */
export async function embeddedPostgres(
  directory: string,
  options: EmbeddedPostgresOptions = {},
): Promise<OpenedStore<Postgres>> {
  const store = await openEmbeddedPostgres(directory, options);
  const { rows } = await sql<{ version: string }>`SELECT current_setting('server_version') AS version`.execute(
    store.db,
  );
  const latency = openLatency();
  const check = async (signal: AbortSignal | null) => {
    const { pages, damaged } = await checkPages(directory, signal);
    const damage = damaged.length === 0 ? null : { found: describeDamagedPages(damaged), advice: pagesAdvice };
    return { read: `${pages} pages read`, damage };
  };
  return {
    name: 'PostgreSQL',
    kind: 'embedded',
    address: null,
    figures: () => ({
      version: rows[0]!.version,
      latencySeconds: latency.seconds(),
      freeBytes: options.disk?.freeBytes() ?? null,
      usedBytes: null,
    }),
    store,
    probe: () => latency.measure(() => sql`SELECT 1`.execute(store.db)),
    whenSilent: 'wait', // its engine is opened again by itself
    onDiskLevel: null, // writes are refused one by one
    findDamage: async () => null, // PostgreSQL says so when it reads a damaged page
    readAll: async () => (await check(null)).damage,
    check: ({ signal }) => check(signal),
  };
}
