import { budgetSettings, internalBudget } from '../lanes/query-budget.ts';
import type { Layout } from '../layout.ts';
import { parseLines } from '../rows/parse-lines.ts';
import { StoreError } from '../store-error.ts';
import { ClickHouseServerError } from './errors.ts';
import { nameOfHost } from './identity.ts';
import type { HostAddress, ServerAddress } from './server-url.ts';
import { openStatements, type Statements } from './statements.ts';

/** The oldest version with the text indexes of `migrations/`. */
const oldest = { major: 26, minor: 3 };

const answerMsMax = 20_000;

export type Examined = {
  layout: Layout;
  /** How many servers have the rows. */
  replicas: number;
};

/**
 * Asks a server what it is, and makes the database where it is missing.
 * @throws ClickHouseServerError if heddle cannot use it, StoreError if it does not answer
 */
export async function examine(host: HostAddress, address: ServerAddress): Promise<Examined> {
  const statements = openStatements(host, { socketsMax: 1, answerMsMax });
  try {
    const found = await read(statements).catch(async (error: unknown) => {
      if (!(error instanceof StoreError) || error.code !== unknownDatabase) throw error;
      await makeDatabase(host, address);
      return read(statements);
    });
    refuse(faultOf(found, address));
    if (found.isCloud) return { layout: { kind: 'cloud' }, replicas: 1 };
    await nameOfHost(host, answerMsMax);
    const layout = layoutOf(found, address);
    const replicas = layout.kind === 'replicas' ? await examineCluster(statements, layout.cluster ?? host.database) : 1;
    return { layout, replicas };
  } finally {
    await statements.close();
  }
}

const unknownDatabase = 81;

type Found = { version: string; engine: string; isCloud: number; plainTables: string[]; replicatedTables: string[] };

const ofDatabase = "WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree')";

/** With the settings of reads, so that a user who may not send them is noticed. */
async function read(statements: Statements): Promise<Found> {
  const answer = await statements.read(
    `SELECT version() AS version, (SELECT engine FROM system.databases WHERE name = currentDatabase()) AS engine,
       (SELECT count() FROM system.settings WHERE name = 'cloud_mode' AND value = '1') AS isCloud,
       (SELECT groupArrayIf(name, NOT startsWith(engine, 'Replicated')) FROM system.tables ${ofDatabase}) AS plainTables,
       (SELECT groupArrayIf(name, startsWith(engine, 'Replicated')) FROM system.tables ${ofDatabase}) AS replicatedTables`,
    'JSONEachRow',
    { settings: budgetSettings(internalBudget) },
  );
  const [found] = await parseLines<Found>(answer);
  return found!;
}

async function makeDatabase(host: HostAddress, { cluster, origins }: ServerAddress): Promise<void> {
  if (cluster === null && origins.length > 1) refuse(missingDatabase(host.database));
  const statements = openStatements({ ...host, database: 'default' }, { socketsMax: 1, answerMsMax });
  const everywhere = cluster === null ? '' : ` ON CLUSTER '${cluster}' ENGINE = Atomic`;
  try {
    await statements.command(`CREATE DATABASE IF NOT EXISTS \`${host.database}\`${everywhere}`);
  } finally {
    await statements.close();
  }
}

const missingDatabase = (name: string) =>
  `it has no database ${name}. Name the cluster of the replicas (?cluster=NAME), or create a database of the engine Replicated`;

function faultOf(
  { version, engine, isCloud, plainTables, replicatedTables }: Found,
  address: ServerAddress,
): string | null {
  const { origins, cluster } = address;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < oldest.major || (major === oldest.major && minor < oldest.minor)) {
    return `it is version ${version}, and ${oldest.major}.${oldest.minor} or newer is required, for indexes of texts`;
  }
  if (isCloud) {
    const isPlain = origins.length === 1 && cluster === null;
    return isPlain ? null : 'ClickHouse Cloud has one address, without ?cluster=, and replicates by itself';
  }
  if (engine !== 'Atomic' && engine !== 'Replicated') {
    return `the engine of the database is ${engine}, and only Atomic and Replicated are supported`;
  }
  if (engine === 'Replicated' || cluster !== null) {
    return plainTables.length === 0 ? null : `${namesOf(plainTables)} not replicated. ${anotherDatabase}`;
  }
  if (origins.length > 1) return 'several hosts need the name of their cluster: add ?cluster=NAME';
  return replicatedTables.length === 0
    ? null
    : `${namesOf(replicatedTables)} replicated: add ?cluster=NAME, with the name of their cluster`;
}

const anotherDatabase =
  'A single server cannot become a cluster in place: name another database, and copy the data with `heddle move`';

function namesOf(tables: string[]): string {
  return tables.length === 1 ? `its table ${tables[0]} is` : `its tables ${tables.sort().join(', ')} are`;
}

function layoutOf({ engine }: Found, { cluster }: ServerAddress): Layout {
  if (engine === 'Replicated') return { kind: 'replicas', cluster: null };
  return cluster === null ? { kind: 'single server' } : { kind: 'replicas', cluster };
}

/** A database of the engine Replicated is a cluster of its name. @returns how many replicas there are */
async function examineCluster(statements: Statements, cluster: string): Promise<number> {
  const answer = await statements.read(
    `SELECT uniqExact(shard_num) AS shards, count() AS replicas, max(is_local) AS isMember
     FROM system.clusters WHERE cluster = '${cluster}'`,
    'JSONEachRow',
  );
  const [found] = await parseLines<{ shards: number; replicas: number; isMember: number }>(answer);
  const { shards, replicas, isMember } = found!;
  if (replicas === 0) refuse(`it knows no cluster ${cluster} (system.clusters lists those that it knows)`);
  if (shards > 1)
    refuse(`the cluster ${cluster} has ${shards} shards, and heddle needs one, with any number of replicas`);
  if (!isMember) refuse(`it is not a replica of the cluster ${cluster}`);
  return replicas;
}

/** The words become part of a message with the address (`open.ts`). */
function refuse(fault: string | null): void {
  if (fault !== null) throw new ClickHouseServerError(fault);
}
