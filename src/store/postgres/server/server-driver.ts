import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely';
import type { ServerPool } from './pool.ts';

/**
 * Limits of each transaction. A transaction that waits for its process, which may be frozen, ends after 10 s, so that its
 * locks hold nobody up for longer. They are set with the first statement, because sessions may belong to a pooler.
 */
const limits = {
  statement_timeout: '60s',
  lock_timeout: '15s',
  idle_in_transaction_session_timeout: '10s',
};

/** Longer than a statement may take on the server. */
export const answerMsMax = 70_000;

export class ServerDialect extends PostgresDialect {
  readonly #pool: ServerPool;

  constructor(pool: ServerPool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): PostgresDriver {
    return new ServerDriver({ pool: this.#pool });
  }
}

class ServerDriver extends PostgresDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    { isolationLevel = 'read committed', accessMode = 'read write' }: TransactionSettings,
  ): Promise<void> {
    const begin = `begin isolation level ${isolationLevel} ${accessMode}`;
    const set = Object.entries(limits).map(([name, value]) => `set local ${name} = '${value}'`);
    await connection.executeQuery(CompiledQuery.raw([begin, ...set].join('; ')));
  }
}
