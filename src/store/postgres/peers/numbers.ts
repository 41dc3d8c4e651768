import { setTimeout } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { blockSize, type NumberBlock, type WriteNumbers } from '../../peers/write-numbers.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';

type Options = {
  process: string;
  /** Whether the lease of this process lasts. */
  isUpToDate(): boolean;
  /** Resolves after the lease was renewed, or after that failed. */
  renewed(): Promise<void>;
};

/**
 * The numbers of a process, which come from a sequence. With each renewal of its lease a process reports which number its
 * further writes exceed: it is never ahead of a block that is in use, so nobody has to lock anything to take one.
 */
export function openNumbers(
  { db, schema }: Pick<Postgres, 'db' | 'schema'>,
  { process, isUpToDate, renewed }: Options,
) {
  let inUse = new Set<{ exceeds: number }>();
  let reported = 0;
  let settled = 0;

  async function querySettled(): Promise<number> {
    const { least } = await db
      .selectFrom('processes')
      .select(({ fn }) => fn.min('written_up_to').as('least'))
      .where('expires_at', '>', sql<Date>`clock_timestamp()`)
      .executeTakeFirstOrThrow();
    // Without processes, nobody writes.
    settled = Math.max(settled, least ?? (await lastTaken(db)));
    return settled;
  }

  const ofWriter: WriteNumbers = {
    process,
    async take() {
      for (let waitMs = 10; !isUpToDate(); waitMs = Math.min(2 * waitMs, 500)) {
        await renewed();
        if (isUpToDate()) break;
        await lastTaken(db); // if PostgreSQL does not respond, this is the error of the write
        await setTimeout(waitMs);
      }
      const entry = { exceeds: reported };
      const users = inUse;
      users.add(entry);
      try {
        const { first } = await db
          .selectNoFrom(sql<number>`nextval(${`${schema}.write_numbers`})`.as('first'))
          .executeTakeFirstOrThrow();
        entry.exceeds = first - 1;
        return {
          first,
          isHeld: () => users === inUse && isUpToDate(),
          release: () => void users.delete(entry),
        } satisfies NumberBlock;
      } catch (error) {
        users.delete(entry);
        throw error;
      }
    },
    settled: querySettled,
    settledAtLeast: () => settled,
    async isOver(writer, number) {
      const row = await db
        .selectFrom('processes')
        .select('written_up_to')
        .where('id', '=', writer)
        .where('expires_at', '>', sql<Date>`clock_timestamp()`)
        .executeTakeFirst();
      return row === undefined || row.written_up_to >= number;
    },
  };

  return {
    ofWriter,
    /** What a renewal reports that has just read the last number: blocks that are taken later exceed it. */
    writtenUpTo(last: number): number {
      reported = Math.max(reported, Math.min(last, ...[...inUse].map(({ exceeds }) => exceeds)));
      return reported;
    },
    /** The lease has ended, so nobody has waited for the blocks in use. */
    startAgain() {
      inUse = new Set();
    },
    async refresh() {
      await querySettled();
    },
  };
}

/**
 * The last number of the last block that was taken; 0 while none was. `last_value` itself may be up to 32 blocks ahead: it is
 * read without a lock, and for a moment a `nextval` stores there what it writes to the log.
 */
export async function lastTaken(db: Kysely<Database> | Transaction<Database>): Promise<number> {
  const { rows } = await sql<{
    last: number | null;
  }>`SELECT pg_sequence_last_value(tableoid) AS last FROM ${sql.table('write_numbers')}`.execute(db);
  const { last } = rows[0]!;
  return last === null ? 0 : last + blockSize - 1;
}

/** Whether the sequence begins above what is stored: it does not in a copy of the records. */
export async function haveNumbers(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{
    isSet: boolean;
  }>`SELECT is_called AS "isSet" FROM ${sql.table('write_numbers')}`.execute(db);
  return rows[0]!.isSet;
}

/** Lets all further numbers exceed one. Only while nobody takes any. */
export async function exceedNumber({ db, schema }: Pick<Postgres, 'db' | 'schema'>, number: number): Promise<void> {
  await sql`SELECT setval(${`${schema}.write_numbers`}, greatest(last_value, ${number}::bigint)) FROM ${sql.table('write_numbers')}`.execute(
    db,
  );
}
