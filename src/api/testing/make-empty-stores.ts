import { join } from 'node:path';
import { openJobs } from '../../jobs/jobs.ts';
import { openEmbeddedClickHouse } from '../../store/clickhouse/embedded/embedded-clickhouse.ts';
import { migrateClickHouse } from '../../store/clickhouse/migrate.ts';
import { openAlone } from '../../store/peers/alone.ts';
import { openEmbeddedPostgres } from '../../store/postgres/embedded/embedded-postgres.ts';
import { migratePostgres } from '../../store/postgres/migrate.ts';

/** A program, since chDB is loaded by the main thread of a process: makes empty stores in the directory it is given. */
const [directory] = process.argv.slice(2);

const postgres = await openEmbeddedPostgres(join(directory!, 'postgres'));
const clickhouse = openEmbeddedClickHouse(join(directory!, 'clickhouse'));
await Promise.all([migratePostgres(postgres), migrateClickHouse(clickhouse)]);
const jobs = await openJobs(postgres, openAlone(), { mayStart: () => false, onError: () => {} });
await jobs.close();
await postgres.close();
await clickhouse.close();
