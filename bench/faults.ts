import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDataDirectory, startHeddle } from '../e2e/harness/heddle.ts';
import { openClient } from '../e2e/kills/client.ts';
import { findHalfThere } from '../e2e/kills/half-there.ts';
import { Ledger } from '../e2e/kills/ledger.ts';
import { startWriting } from '../e2e/kills/writers.ts';
import { startSwift } from '../e2e/stores/swift-server.ts';
import { type Fault, startFront } from '../src/store/clickhouse/server/testing/start-front.ts';
import { startTestServer } from '../src/store/postgres/testing/postgres-server.ts';
import { openNetwork } from './support/network.ts';
import { report } from './support/report.ts';

/**
 * What happens to writes of every kind while a store on a server is away: what was acknowledged must hold afterwards, nothing
 * may be there in part, requests are refused with 503 or 507 meanwhile, and heddle goes on by itself. The servers are PostgreSQL,
 * a front over chDB in place of ClickHouse, and OpenStack Swift in place of S3. Arguments: parts of the names of faults.
 */

const directory = mkdtempSync(join(tmpdir(), 'heddle-bench-front-'));
const [front, postgres] = await Promise.all([startFront(directory), startTestServer()]);
const swift = await startSwift('heddle'); // later: on a busy machine, its servers wait too briefly for each other
const database = await postgres.createDatabase();
const [toClickHouse, toPostgres, toBucket] = await Promise.all(
  [front.url('faults'), database, swift.endpoint].map(openNetwork),
);
const answers = (kind: Fault['kind'], code?: number): Fault[] => [
  { statement: '', times: 1e6, kind, ...(code === undefined ? {} : { code }) },
];

/** Each begins, lasts for some seconds, and ends. */
const faults: [name: string, seconds: number, begin: () => unknown, end: () => unknown][] = [
  ['ClickHouse killed', 3, () => front.kill(), () => front.start()],
  ['ClickHouse killed for long', 20, () => front.kill(), () => front.start()],
  ['ClickHouse frozen', 30, () => front.pause(), () => front.goOn()],
  ['ClickHouse closes without an answer', 3, () => front.fail(...answers('unanswered')), () => front.fail()],
  ['ClickHouse cuts answers', 3, () => front.fail(...answers('cut')), () => front.fail()],
  ['ClickHouse fails in its answers', 3, () => front.fail(...answers('exception', 999)), () => front.fail()],
  ['ClickHouse has too many parts', 15, () => front.fail(...answers('error', 252)), () => front.fail()],
  ['ClickHouse has a full disk', 3, () => front.fail(...answers('error', 243)), () => front.fail()],
  ['ClickHouse refuses the password', 3, () => front.fail(...answers('error', 516)), () => front.fail()],
  ['PostgreSQL killed', 3, () => postgres.crash!(), () => postgres.start()],
  ['PostgreSQL killed for long', 20, () => postgres.crash!(), () => postgres.start()],
  ['PostgreSQL cuts answers', 5, () => toPostgres!.cutAnswers(true), () => toPostgres!.cutAnswers(false)],
  ['bucket killed', 3, () => swift.crash(), () => swift.start()],
  ['bucket killed for long', 20, () => swift.crash(), () => swift.start()],
  ['bucket frozen', 30, () => swift.pause(), () => swift.goOn()],
  ['bucket cuts answers', 5, () => toBucket!.cutAnswers(true), () => toBucket!.cutAnswers(false)],
  ['bucket refuses the key', 5, () => restartBucket('another'), () => restartBucket()],
  ['no way to ClickHouse', 30, () => toClickHouse!.partition(), () => toClickHouse!.heal()],
  ['no way to PostgreSQL', 30, () => toPostgres!.partition(), () => toPostgres!.heal()],
  ['no way to the bucket', 30, () => toBucket!.partition(), () => toBucket!.heal()],
];

const data = newDataDirectory();
const wanted = process.argv.slice(2);
const heddle = await startHeddle(data, {
  HEDDLE_CLICKHOUSE_URL: toClickHouse!.through(front.url('faults')),
  HEDDLE_POSTGRES_URL: toPostgres!.through(database),
  HEDDLE_BLOBS_URL: `s3://heddle?endpoint=${toBucket!.through(swift.endpoint)}`,
  ...swift.credentials,
});
const client = openClient(heddle, data);
const wrong: string[] = [];
for (const [index, [name, seconds, begin, end]] of faults.entries()) {
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
  const project = `ent/fault${index}`;
  const ledger = new Ledger();
  const writing = startWriting(client, project, ledger, [503, 507]);
  await ledger.reached(100);
  await begin();
  await sleep(seconds * 1000);
  const during = ledger.acknowledged;
  const statuses = await statusesOf(20, project);
  await end();
  const endedAt = performance.now();
  await ledger.reached(during + 1);
  const recoveryMs = performance.now() - endedAt;
  await ledger.reached(during + 100);
  writing.stop();
  const failure = await writing.ended.catch((error: Error) => error.message);
  const lost = await ledger.verify(client);
  const half = await findHalfThere(client, project);
  report(name, {
    acknowledged: ledger.acknowledged,
    'facts checked': ledger.size,
    'that do not hold': lost.length,
    'half there': half.length,
    'ms to go on': recoveryMs,
    'statuses meanwhile': statuses,
  });
  wrong.push(...[...lost, ...half, ...(failure ? [failure] : [])].map((each) => `${name}: ${each}`));
}
await heddle.end('SIGTERM');
for (const network of [toClickHouse, toPostgres, toBucket]) network!.close();
await Promise.all([front.kill(), postgres.close(), swift.stop()]);
for (const each of [data, directory]) rmSync(each, { recursive: true, force: true });
for (const each of wrong) process.stdout.write(`${each}\n`);
process.exit(wrong.length > 0 ? 1 : 0);

async function restartBucket(secret?: string): Promise<void> {
  await swift.crash();
  await swift.start(secret);
}

/** How reads are answered now, each status once. */
async function statusesOf(count: number, project: string): Promise<string> {
  const asked = Array.from({ length: count }, () =>
    client.try('POST', '/calls/query_stats', { project_id: project }).then(
      ({ status }) => String(status),
      () => 'none',
    ),
  );
  return [...new Set(await Promise.all(asked))].join(', ');
}
