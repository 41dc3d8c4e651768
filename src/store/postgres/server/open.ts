import { sql, WithSchemaPlugin } from 'kysely';
import { openLatency } from '../../latency.ts';
import { lookUp } from '../../looked-up.ts';
import type { OpenedStore } from '../../opened-store.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';
import { connectionOptions } from './connection-options.ts';
import { PostgresServerError } from './errors.ts';
import { type HeldSchema, holdSchema, jobsSchema } from './hold-schema.ts';
import { openPool, type ServerPool } from './pool.ts';
import { qualifyRawTables } from './qualify-raw-tables.ts';
import { RetryingKysely } from './retrying-kysely.ts';
import { lockKey, type SchemaUse } from './schema-locks.ts';
import { answerMsMax, ServerDialect } from './server-driver.ts';
import { describeServer, type ServerAddress } from './server-url.ts';

export type ServerOptions = {
  address: ServerAddress;
  /** The same server, without a pooler. */
  direct: ServerAddress;
  connectionsMax: number;
  /** By default alone. */
  use?: SchemaUse;
  /** How long to wait for a process that is just ending. */
  waitMsMax?: number;
  /** Called with a message while a change of the schema waits for another process. */
  onWait?: (message: string) => void;
};

/** PostgreSQL on a server. @throws PostgresServerError with what to do */
export async function serverPostgres(options: ServerOptions): Promise<OpenedStore<Postgres>> {
  const { address, direct } = options;
  const held = await connect(direct, async () =>
    holdSchema({
      address: direct,
      connection: await connectionOptions(direct),
      use: options.use ?? 'alone',
      waitMsMax: options.waitMsMax ?? 15_000,
      onWait: options.onWait,
    }),
  );
  try {
    const pool = await connect(address, async () => openChecked(await connectionOptions(address), held, options));
    const store = openStore(pool, address.schema, held);
    const latency = openLatency();
    const used = lookUp(() => sizeOfDatabase(store));
    return {
      name: 'PostgreSQL',
      kind: 'server',
      address: describeServer(address),
      figures: () => ({
        version: held.version,
        latencySeconds: latency.seconds(),
        freeBytes: null, // a server does not say it to its clients
        usedBytes: used.latest(),
      }),
      store,
      async probe() {
        await latency
          .measure(() => sql`SELECT 1`.execute(store.db))
          .catch((error) => {
            throw error.cause ?? error; // what the server said, for its operator
          });
        const problem = held.problem();
        if (problem !== null) throw new Error(problem);
      },
      whenSilent: 'wait', // a new process would not reach it either
      onDiskLevel: null,
      findDamage: async () => null,
      readAll: null,
      check: null,
    };
  } catch (error) {
    await held.close();
    throw error;
  }
}

async function sizeOfDatabase({ db }: Postgres): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`SELECT pg_database_size(current_database()) AS bytes`.execute(db);
  return Number(rows[0]!.bytes);
}

async function openChecked(
  connection: Awaited<ReturnType<typeof connectionOptions>>,
  held: HeldSchema,
  { address, connectionsMax }: ServerOptions,
): Promise<ServerPool> {
  const writeProblem = held.problem; // another process may use the schema meanwhile
  const pool = openPool(connection, { connectionsMax, answerMsMax, writeProblem });
  try {
    const client = await pool.connect();
    const { rows } = await client
      .query<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [lockKey(address.schema)])
      .finally(() => client.release());
    if (!rows[0]!.got) return pool;
    throw new PostgresServerError(
      'HEDDLE_POSTGRES_URL and HEDDLE_POSTGRES_DIRECT_URL lead to different databases. Give two addresses of one.',
    );
  } catch (error) {
    await pool.end();
    throw error;
  }
}

export function openStore(pool: ServerPool, schema: string, held: Pick<HeldSchema, 'change' | 'close'>): Postgres {
  const db = new RetryingKysely<Database>({
    dialect: new ServerDialect(pool),
    plugins: [new WithSchemaPlugin(schema), qualifyRawTables(schema)],
  });
  return {
    db,
    afterCommit: (transaction, work) => db.afterCommit(transaction, work),
    changeSchema: held.change,
    async executeSql(statement, values = []) {
      const client = await pool.connect();
      try {
        const results: { rows: unknown[] }[] = [await client.query(statement, values)].flat(); // a script has several
        return { rows: results.flatMap(({ rows }) => rows) };
      } catch (error) {
        if (values.length === 0) await client.query('rollback').catch(() => {}); // a script may have begun a transaction
        throw error;
      } finally {
        client.release();
      }
    },
    schema,
    jobs: { schema: jobsSchema(schema), createSchema: false, backend: 'postgres' },
    async close() {
      await db.destroy(); // ends the pool
      await held.close();
    },
  };
}

async function connect<Result>(address: ServerAddress, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PostgresServerError) throw error;
    const { cause = error } = error as { cause?: Error };
    const { code, message, errors } = cause as Error & { code?: string; errors?: Error[] };
    const found = message || errors?.[0]?.message || code;
    throw new PostgresServerError(
      `PostgreSQL at ${describeServer(address)} cannot be used: ${found}. Check HEDDLE_POSTGRES_URL, and whether the server runs.`,
      { cause },
    );
  }
}
