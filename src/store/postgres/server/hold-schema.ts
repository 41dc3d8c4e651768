import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { checkServer } from './check-server.ts';
import { PostgresServerError } from './errors.ts';
import { lockSchema, type SchemaUse, whileNoOtherChanges } from './schema-locks.ts';
import { describeServer, type ServerAddress } from './server-url.ts';

/** The schema that this process uses, alone or with others, as long as this is open. */
export type HeldSchema = {
  version: string;
  /** Why the schema is not held at the moment; null if it is. */
  problem(): string | null;
  /**
   * Runs changes of the schema, on the connection that holds it, while no other process does. Unqualified names are in the
   * schema. It may be called within itself.
   */
  change<Result>(work: (script: (sql: string) => Promise<void>) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

type Options = {
  address: ServerAddress;
  connection: pg.ClientConfig;
  use: SchemaUse;
  /** How long to wait for a process that is just ending. */
  waitMsMax: number;
  /** Called with a message while a change waits for another process. */
  onWait?: (message: string) => void;
};

/**
 * Connects without a pooler, creates the schemas if they are missing, and holds an advisory lock for as long as the
 * connection lasts. A lost connection is opened again.
 * @throws PostgresServerError with what to do
 */
export async function holdSchema({ address, connection, use, waitMsMax, onWait }: Options): Promise<HeldSchema> {
  const where = describeServer(address);
  let isClosed = false;
  let problem: string | null = null;
  let { client, version, session } = await open(waitMsMax);

  async function open(
    waitMs: number,
    lost?: Session,
  ): Promise<{ client: pg.Client; version: string; session: Session }> {
    const opened = new pg.Client(connection);
    opened.on('error', () => {}); // `end` follows
    try {
      await opened.connect();
      const found = await checkServer(opened, where);
      await prepare(opened, address);
      if (lost) await endSession(opened, lost);
      await lockSchema(opened, address.schema, use, waitMs);
      opened.on('end', () => void openAgain());
      return { client: opened, version: found, session: await sessionOf(opened) };
    } catch (error) {
      await opened.end().catch(() => {});
      throw error;
    }
  }

  async function openAgain(): Promise<void> {
    for (let waitMs = 250; !isClosed; waitMs = Math.min(2 * waitMs, 5000)) {
      problem = 'the connection that holds its schema is lost';
      try {
        const opened = await open(endMsMax, session);
        if (isClosed) return await opened.client.end();
        ({ client, version, session } = opened);
        problem = null;
        return;
      } catch (error) {
        problem = (error as Error).message;
        await setTimeout(waitMs, undefined, { ref: false });
      }
    }
  }

  return {
    get version() {
      return version;
    },
    problem: () => problem,
    change(work) {
      const used = client;
      const script = async (sql: string) => {
        await used.query(sql).catch(async (error) => {
          await used.query('ROLLBACK').catch(() => {});
          throw error;
        });
      };
      return whileNoOtherChanges(used, address.schema, () => work(script), onWait);
    },
    async close() {
      isClosed = true;
      await client.end().catch(() => {});
    },
  };
}

/** What identifies a session of a server for good: process ids are used again. */
type Session = { pid: number; startedAt: string };

async function sessionOf(client: pg.Client): Promise<Session> {
  const { rows } = await client.query<Session>(
    'SELECT pid, backend_start::text AS "startedAt" FROM pg_stat_activity WHERE pid = pg_backend_pid()',
  );
  return rows[0]!;
}

/** Of a connection that was lost on the way, the server may not know for minutes: its session would go on holding the schema. */
async function endSession(client: pg.Client, { pid, startedAt }: Session): Promise<void> {
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2::timestamptz',
    [pid, startedAt],
  );
}

/** How long a session may take to end. */
const endMsMax = 2000;

/** Changes of the session are possible here: no pooler is in between. */
async function prepare(client: pg.Client, { schema }: ServerAddress): Promise<void> {
  for (const name of [schema, jobsSchema(schema)]) {
    const { rows } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [name]);
    // Also if it exists, CREATE SCHEMA IF NOT EXISTS needs a right on the database.
    if (rows.length === 0) await client.query(`CREATE SCHEMA ${name}`).catch((error) => explainMissing(name, error));
  }
  await client.query(`SET search_path TO ${schema}`);
  // Others that wait for this process say so.
  await client.query("SELECT set_config('application_name', $1, false)", [`heddle ${hostname()} ${process.pid}`]);
  // The server notices within a minute that this machine is gone.
  await client.query('SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3');
}

export function jobsSchema(schema: string): string {
  return `${schema}_jobs`;
}

function explainMissing(name: string, error: Error & { code?: string }): void {
  if (error.code === '42P06' || error.code === '23505') return; // another process has just created it, or does so now
  throw new PostgresServerError(
    `The schema ${name} is missing and cannot be created (${error.message}). As an administrator of the database: ` +
      `CREATE SCHEMA ${name} AUTHORIZATION …`,
  );
}
