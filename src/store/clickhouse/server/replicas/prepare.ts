import { parseLines } from '../../rows/parse-lines.ts';
import { tables } from '../../rows/tables.ts';
import { StoreError } from '../../store-error.ts';
import { ClickHouseServerError } from '../errors.ts';
import { nameOfHost } from '../identity.ts';
import type { HostAddress } from '../server-url.ts';
import { openStatements, type Statements } from '../statements.ts';

export type Preparation = {
  /** Whether the database itself is replicated, and creates tables on each replica. */
  isReplicatedDatabase: boolean;
  /** Whether acknowledged rows are on a majority of replicas, so that this one can get them all. */
  hasQuorum: boolean;
  /** The number of the newest migration of this program. */
  newestMigration: number;
  /** Called if rows are missing that only the replica before may have. */
  onMissingRows(): void;
};

const syncSeconds = 10;
const socketsMax = 16;
const timeoutExceeded = 159;

/**
 * Waits until a replica has the rows that were written to others, and checks that it can be used.
 * @returns where the coordination service keeps the tables, which is the same for all replicas of a shard
 * @throws StoreError, ClickHouseServerError
 */
export async function prepareReplica(address: HostAddress, preparation: Preparation): Promise<string | null> {
  const answerMsMax = (syncSeconds + 5) * 1000;
  await nameOfHost(address, answerMsMax);
  const statements = openStatements(address, { socketsMax, answerMsMax });
  try {
    if (preparation.isReplicatedDatabase) await sync(statements, `DATABASE REPLICA ${address.database}`);
    const found = await readTables(statements);
    if (found.some(({ isReadOnly }) => isReadOnly)) {
      throw new ClickHouseServerError('it has lost its coordination service');
    }
    await Promise.all(found.map(({ table }) => getRows(statements, table, preparation)));
    await checkColumns(statements, preparation);
    return found.find(({ table }) => table === 'deployment')?.path ?? null;
  } finally {
    await statements.close();
  }
}

type Table = { table: string; path: string; isReadOnly: number };

async function readTables(statements: Statements): Promise<Table[]> {
  return parseLines<Table>(
    await statements.read(
      `SELECT table, zookeeper_path AS path, is_readonly OR is_session_expired AS isReadOnly
       FROM system.replicas WHERE database = currentDatabase()`,
      'JSONEachRow',
    ),
  );
}

/** Light: without waiting for merges, which change no answer. */
async function getRows(
  statements: Statements,
  table: string,
  { hasQuorum, onMissingRows }: Preparation,
): Promise<void> {
  try {
    await sync(statements, `REPLICA ${table} LIGHTWEIGHT`);
  } catch (error) {
    // Without a quorum, rows may be on a replica alone that does not answer. The others are used without them.
    if (hasQuorum || !(error instanceof StoreError) || error.code !== timeoutExceeded) throw error;
    onMissingRows();
  }
}

function sync(statements: Statements, what: string): Promise<void> {
  return statements.command(`SYSTEM SYNC ${what}`, { settings: { receive_timeout: syncSeconds } });
}

/** A replica that was away may not have run all changes of the schema yet. */
async function checkColumns(statements: Statements, { newestMigration }: Preparation): Promise<void> {
  const read = async <Row>(sql: string) => parseLines<Row>(await statements.read(sql, 'JSONEachRow'));
  const found = await read<{ table: string; name: string }>(
    'SELECT table, name FROM system.columns WHERE database = currentDatabase()',
  );
  const isNew = !found.some(({ table }) => table === 'schema_migrations');
  const [newest] = isNew ? [] : await read<{ number: number }>('SELECT max(number) AS number FROM schema_migrations');
  if ((newest?.number ?? 0) < newestMigration) return; // the schema is about to be changed
  const known = new Set(found.map(({ table, name }) => `${table}.${name}`));
  const missing = Object.entries(tables)
    .flatMap(([table, columns]) => Object.keys(columns).map((name) => `${table}.${name}`))
    .find((name) => !known.has(name));
  if (missing) throw new ClickHouseServerError(`it does not have the column ${missing} yet`);
}
