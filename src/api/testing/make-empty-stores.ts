import { join } from 'node:path';
import { openJobs } from '../../jobs/jobs.ts';
import { openChdb } from '../../store/clickhouse/clickhouse.ts';
import { migrateClickHouse } from '../../store/clickhouse/migrate.ts';
import { migratePostgres } from '../../store/postgres/migrate.ts';
import { openPglite } from '../../store/postgres/postgres.ts';

/** A program, since chDB is loaded by the main thread of a process: makes empty stores in the directory it is given. */
const [directory] = process.argv.slice(2);

const postgres = await openPglite(join(directory!, 'postgres'));
const clickhouse = openChdb(join(directory!, 'clickhouse'));
await Promise.all([migratePostgres(postgres), migrateClickHouse(clickhouse)]);
const jobs = await openJobs(postgres, { mayStart: () => false, onError: () => {} });
await jobs.close();
await postgres.close();
await clickhouse.close();
