import { sql } from 'kysely';
import type { Peers } from '../../peers/peers.ts';
import type { Postgres } from '../postgres.ts';

/** Grants leases to a process. Times are those of PostgreSQL, as in `notices.ts`. */
export function openLeases({ db }: Pick<Postgres, 'db'>, process: string): Peers['lease'] {
  return async (name, ms) => {
    const expires_at = sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`;
    let askedAt = performance.now();
    const granted = await db
      .insertInto('leases')
      .values({ name, process, attempt: 1, expires_at })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ process, attempt: sql<number>`leases.attempt + 1`, expires_at })
          .where('leases.expires_at', '<=', sql<Date>`clock_timestamp()`),
      )
      .returning('attempt')
      .executeTakeFirst();
    if (!granted) return null;
    let heldUntil = askedAt + ms;
    const own = { name, attempt: granted.attempt };

    async function renew(): Promise<void> {
      askedAt = performance.now();
      const renewed = await db
        .updateTable('leases')
        .set({ expires_at })
        .where('name', '=', own.name)
        .where('attempt', '=', own.attempt)
        .executeTakeFirst();
      if (renewed.numUpdatedRows === 1n) heldUntil = askedAt + ms;
      else lose();
    }
    let renewing: Promise<void> | null = null;
    const timer = setInterval(() => {
      renewing ??= renew()
        .catch(() => {}) // the lease ends unless a later renewal succeeds
        .finally(() => {
          renewing = null;
        });
    }, ms / 4).unref();
    function lose(): void {
      heldUntil = 0;
      clearInterval(timer);
    }

    return {
      isHeld: () => performance.now() < heldUntil,
      async release() {
        clearInterval(timer);
        await renewing; // which would otherwise count as held again what is released here
        lose();
        await db
          .updateTable('leases')
          .set({ expires_at: sql<Date>`clock_timestamp()` })
          .where('name', '=', own.name)
          .where('attempt', '=', own.attempt)
          .execute();
      },
    };
  };
}
