import { sql } from 'kysely';
import type { PeerOverview } from '../../peers/peers.ts';
import type { Postgres } from '../postgres.ts';
import { parseOffer } from './notices.ts';

/** What the processes on the stores are doing at the moment. */
export async function readOverview({ db }: Pick<Postgres, 'db'>, process: string): Promise<PeerOverview> {
  const isLive = sql<boolean>`expires_at > clock_timestamp()`;
  const [processes, leases, waiting] = await Promise.all([
    db
      .selectFrom('processes')
      .select(['id', 'name', 'started_at as startedAt', 'offer'])
      .where(isLive)
      .orderBy('started_at')
      .orderBy('id')
      .execute(),
    db.selectFrom('leases').select(['name', 'process']).where(isLive).orderBy('name').execute(),
    // Of all that use this database: what another one waits for holds up these processes, too.
    sql<{ count: number }>`SELECT count(*)::int AS count FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE NOT granted AND datname = current_database()`.execute(db),
  ]);
  const nameOf = new Map(processes.map(({ id, name }) => [id, name]));
  return {
    processes: processes.map(({ id, name, startedAt, offer }) => ({
      name,
      startedAt,
      isThis: id === process,
      offer: parseOffer(offer),
    })),
    leases: leases.map((lease) => ({ name: lease.name, process: nameOf.get(lease.process) ?? lease.process })),
    lockWaits: waiting.rows[0]!.count,
  };
}
