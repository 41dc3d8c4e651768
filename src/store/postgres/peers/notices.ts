import { type Kysely, sql } from 'kysely';
import type { ProcessOffer } from '../../../domain/process-offer.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';
import { lastTaken } from './numbers.ts';

/** The lease of a process, and the notices of all processes. Numbers of notices grow in the order in which they are committed. */
export type Notices = {
  /**
   * Renews the lease of this process, acknowledges every notice up to a number, and reports up to which number this process
   * has written what it will ever write.
   * @param acknowledged null for a process that keeps nothing in memory: all there are
   * @param writtenUpTo is given the last number of the last block that any process has taken
   * @returns the number of the last notice
   */
  renew(
    acknowledged: number | null,
    writtenUpTo: (lastTaken: number) => number,
    offer: ProcessOffer | null,
  ): Promise<number>;
  /** The notices after one number, up to another. */
  read(after: number, upTo: number): Promise<{ topic: string; key: string }[]>;
  /** Stores a notice. @returns its number */
  send(topic: string, key: string): Promise<number>;
  /** How many processes with a lease have not acknowledged a notice. */
  behind(number: number): Promise<number>;
  /** The processes that have a lease. */
  processes(): Promise<{ id: string; offer: ProcessOffer | null }[]>;
  leave(): Promise<void>;
};

type Options = { process: string; name: string; leaseMs: number; channel: string };

/** Times are those of PostgreSQL: a process counts its lease from before it asks, so its lease never ends later here. */
export function openNotices({ db }: Pick<Postgres, 'db'>, { process, name, leaseMs, channel }: Options): Notices {
  const live = db
    .selectFrom('processes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('expires_at', '>', sql<Date>`clock_timestamp()`);
  return {
    renew: (acknowledged, writtenUpTo, offered) =>
      db.transaction().execute(async (transaction) => {
        // The lock lets a notice wait for this lease, or this lease see the notice.
        const { number } = await lastNotice(transaction).forShare().executeTakeFirstOrThrow();
        const written_up_to = writtenUpTo(await lastTaken(transaction));
        const expires_at = sql<Date>`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;
        const offer = offered === null ? null : JSON.stringify(offered);
        const renewed = { acknowledged: acknowledged ?? number, written_up_to, expires_at, offer };
        await transaction
          .insertInto('processes')
          .values({ id: process, name, ...renewed })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(renewed))
          .execute();
        return number;
      }),
    read: (after, upTo) =>
      db
        .selectFrom('notices')
        .select(['topic', 'key'])
        .where('number', '>', after)
        .where('number', '<=', upTo)
        .orderBy('number')
        .execute(),
    async send(topic, key) {
      const number = await db.transaction().execute(async (transaction) => {
        const { number } = await transaction
          .updateTable('last_notice')
          .set({ number: sql<number>`number + 1` })
          .returning('number')
          .executeTakeFirstOrThrow();
        await transaction.insertInto('notices').values({ number, topic, key }).execute();
        await sql`SELECT pg_notify(${channel}, '')`.execute(transaction);
        return number;
      });
      await deleteOld(db);
      return number;
    },
    async behind(number) {
      const { count } = await live.where('acknowledged', '<', number).executeTakeFirstOrThrow();
      return count;
    },
    async processes() {
      const rows = await db
        .selectFrom('processes')
        .select(['id', 'offer'])
        .where('expires_at', '>', sql<Date>`clock_timestamp()`)
        .execute();
      return rows.map(({ id, offer }) => ({ id, offer: parseOffer(offer) }));
    },
    async leave() {
      await db.deleteFrom('processes').where('id', '=', process).execute();
    },
  };
}

/** What `renew` has stored. */
export function parseOffer(offer: string | null): ProcessOffer | null {
  return offer === null ? null : (parsePlain(offer) as ProcessOffer);
}

function lastNotice(db: Kysely<Database>) {
  return db.selectFrom('last_notice').select('number');
}

/** A process whose lease has ended forgets everything, so it needs no notices of the time in between. */
async function deleteOld(db: Kysely<Database>): Promise<void> {
  const longAgo = sql<Date>`now() - interval '1 hour'`;
  await db.deleteFrom('notices').where('sent_at', '<', longAgo).execute();
  await db.deleteFrom('processes').where('expires_at', '<', longAgo).execute();
}
