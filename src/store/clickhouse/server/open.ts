import { accessSync, constants } from 'node:fs';
import type { OpenedStore } from '../../opened-store.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { budgetSettings, internalBudget } from '../lanes/query-budget.ts';
import { parseLines } from '../rows/parse-lines.ts';
import { StoreError } from '../store-error.ts';
import { ClickHouseServerError, isTransient } from './errors.ts';
import { openServerClickHouse, type ServerOptions } from './server-clickhouse.ts';
import { describeServer, type ServerAddress } from './server-url.ts';
import { openStatements, type Statements } from './statements.ts';

/** The oldest version with the text indexes of `migrations/`. */
const oldest = { major: 26, minor: 3 };

/** ClickHouse on a server. @throws ClickHouseServerError with what to do */
export async function serverClickHouse(options: ServerOptions): Promise<OpenedStore<ClickHouse>> {
  await checkServer(options.address);
  const { store, probe, figures } = openServerClickHouse(options);
  return {
    name: 'ClickHouse',
    kind: 'server',
    address: describeServer(options.address),
    figures,
    store,
    probe,
    whenSilent: 'wait', // a new process would not reach it either
    onDiskLevel: null,
    findDamage: async () => null,
    readAll: null,
    check: null,
  };
}

/** Makes the database where it is missing. */
async function checkServer(address: ServerAddress): Promise<void> {
  checkCertificate(address);
  const statements = openStatements(address, { socketsMax: 1, answerMsMax: 20_000 });
  try {
    const found = await examine(statements).catch(async (error: unknown) => {
      if (!(error instanceof StoreError) || error.code !== unknownDatabase) throw error;
      await makeDatabase(address);
      return examine(statements);
    });
    const fault = faultOf(found);
    if (fault !== null) throw cannotUse(address, fault);
  } catch (error) {
    if (error instanceof StoreError) throw cannotUse(address, wordsFor(error, address));
    throw error;
  } finally {
    await statements.close();
  }
}

function checkCertificate(address: ServerAddress): void {
  const { rootCertificate: file } = address;
  try {
    if (file !== null) accessSync(file, constants.R_OK);
  } catch (error) {
    throw cannotUse(address, `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

const unknownDatabase = 81;

type Found = { version: string; engine: string; isCloud: number };

/** With the settings of reads, so that a user who may not send them is noticed. */
async function examine(statements: Statements): Promise<Found> {
  const answer = await statements.read(
    `SELECT version() AS version, (SELECT engine FROM system.databases WHERE name = currentDatabase()) AS engine,
       (SELECT count() FROM system.settings WHERE name = 'cloud_mode' AND value = '1') AS isCloud`,
    'JSONEachRow',
    { settings: budgetSettings(internalBudget) },
  );
  const [found] = await parseLines<Found>(answer);
  return found!;
}

async function makeDatabase(address: ServerAddress): Promise<void> {
  const statements = openStatements({ ...address, database: 'default' }, { socketsMax: 1, answerMsMax: 20_000 });
  try {
    await statements.command(`CREATE DATABASE IF NOT EXISTS \`${address.database}\``);
  } finally {
    await statements.close();
  }
}

function faultOf({ version, engine, isCloud }: Found): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < oldest.major || (major === oldest.major && minor < oldest.minor)) {
    return `it is version ${version}, and ${oldest.major}.${oldest.minor} or newer is required, for indexes of texts`;
  }
  if (engine !== 'Atomic' && isCloud === 0) {
    return `the engine of the database is ${engine}, and only Atomic is supported`;
  }
  return null;
}

function wordsFor(error: StoreError, { user, database }: ServerAddress): string {
  switch (error.code) {
    case 516:
    case 192:
    case 193:
    case 194:
      return `it refuses the password of the user ${user}`;
    case 497:
      return `the user ${user} lacks a grant, for the database ${database} or to make it (docs/scaling.md lists them)`;
    case 164:
    case 452:
      return `the user ${user} may not change settings, and heddle limits each statement by settings`;
    default:
      return isTransient(error)
        ? `it does not answer (${error.codeName})`
        : `it failed with ${error.codeName} (${error.code})`;
  }
}

function cannotUse(address: ServerAddress, found: string): ClickHouseServerError {
  return new ClickHouseServerError(
    `ClickHouse at ${describeServer(address)} cannot be used: ${found}. Check HEDDLE_CLICKHOUSE_URL, and whether the server runs.`,
  );
}
