import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Agreement } from '../../peers/agreement.ts';
import type { Peers } from '../../peers/peers.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';

/** The only server today: its row is part of the schema. */
const server = 'main';
const leaseMsDefault = 10_000;

/**
 * The replica of ClickHouse that all processes use. Times are those of PostgreSQL: a process counts its lease from before it
 * asks, so its lease never ends later here.
 */
export function openReplicaAgreement(
  { db }: Pick<Postgres, 'db'>,
  { isAlone }: Pick<Peers, 'isAlone'>,
  leaseMs = leaseMsDefault,
): Agreement {
  const process = randomUUID();

  /** The lock lets a change wait for this lease, or this lease see the change. */
  async function renewLease(transaction: Kysely<Database>, term: number): Promise<void> {
    await transaction.selectFrom('clickhouse_servers').select('name').where('name', '=', server).forShare().execute();
    const lease = { term, expires_at: sql<Date>`clock_timestamp() + ${leaseMs} * interval '1 millisecond'` };
    await transaction
      .insertInto('clickhouse_processes')
      .values({ id: process, server, ...lease })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(lease))
      .execute();
  }

  async function read(from: Kysely<Database>) {
    const { behind, replica, ...agreed } = await from
      .selectFrom('clickhouse_servers')
      .select(['replica', 'term', 'is_ready as isReady'])
      .select(({ selectFrom }) =>
        selectFrom('clickhouse_processes')
          .select(({ fn }) => fn.countAll<number>().as('behind'))
          .whereRef('clickhouse_processes.server', '=', 'clickhouse_servers.name')
          .whereRef('clickhouse_processes.term', '<', 'clickhouse_servers.term')
          .where('expires_at', '>', sql<Date>`clock_timestamp()`)
          .as('behind'),
      )
      .where('name', '=', server)
      .executeTakeFirstOrThrow();
    return { ...agreed, value: replica, behind: isAlone ? 0 : behind! };
  }

  return {
    leaseMs: isAlone ? null : leaseMs,
    renew(term) {
      if (isAlone) return read(db);
      return db.transaction().execute(async (transaction) => {
        await renewLease(transaction, term);
        return read(transaction);
      });
    },
    async choose(term, replica) {
      await db
        .updateTable('clickhouse_servers')
        .set({ replica, term: term + 1, is_ready: false })
        .where('name', '=', server)
        .where('term', '=', term)
        .execute();
      await db
        .deleteFrom('clickhouse_processes')
        .where('expires_at', '<', sql<Date>`clock_timestamp() - interval '1 hour'`)
        .execute();
    },
    async confirm(term) {
      await db
        .updateTable('clickhouse_servers')
        .set({ is_ready: true })
        .where('name', '=', server)
        .where('term', '=', term)
        .execute();
    },
    async leave() {
      await db.deleteFrom('clickhouse_processes').where('id', '=', process).execute();
    },
  };
}
