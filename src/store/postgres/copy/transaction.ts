import { CompiledQuery } from 'kysely';
import type { Postgres } from '../postgres.ts';

export type Query = <Row>(sql: string, values?: unknown[]) => Promise<Row[]>;

/**
 * Runs statements in a transaction whose settings make every PostgreSQL write the same values as the same text. It may be
 * run again.
 */
export async function within<Result>({ db }: Postgres, work: (query: Query) => Promise<Result>): Promise<Result> {
  return db.transaction().execute(async (transaction) => {
    const query: Query = async <Row>(sql: string, values: unknown[] = []) =>
      (await transaction.executeQuery(CompiledQuery.raw(sql, values))).rows as Row[];
    await query(
      `SELECT set_config('timezone', 'UTC', true), set_config('extra_float_digits', '1', true),
         set_config('datestyle', 'ISO', true), set_config('intervalstyle', 'postgres', true), set_config('bytea_output', 'hex', true)`,
    );
    return work(query);
  });
}
