import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
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
import { canMount, mountSmallDisk, type SmallDisk } from '../src/store/disk/testing/small-disk.ts';
import { startTestServer } from '../src/store/postgres/testing/postgres-server.ts';
import { openNetwork } from './support/network.ts';
import { report } from './support/report.ts';

/**
 * What happens to writes of every kind while a store on a server is away: what was acknowledged must hold afterwards, nothing
 * may be there in part, requests are refused with 503 or 507 meanwhile, and heddle goes on by itself. The servers are PostgreSQL,
 * a front over chDB in place of ClickHouse, and OpenStack Swift in place of S3. Disks are only filled if this user may mount small ones.
 * Arguments: parts of the names of faults.
 */

const disks = canMount() ? { postgres: mountSmallDisk(1000), bucket: mountSmallDisk(1000) } : null;
process.once('exit', () => {
  for (const each of Object.values(disks ?? {})) each.remove();
});
if (disks === null)
  process.stdout.write('This user may not mount file systems: full disks are not tried, except that of ClickHouse.\n');

const directory = mkdtempSync(join(tmpdir(), 'heddle-bench-front-'));
const [front, postgres] = await Promise.all([
  startFront(directory),
  startTestServer(disks ? { place: disks.postgres.path, prepare: keepLogSmall } : {}),
]);
const swift = await startSwift('heddle', disks?.bucket.path); // later: on a busy machine, its servers wait too briefly for each other
const database = await postgres.createDatabase();
const [toClickHouse, toPostgres, toBucket] = await Promise.all(
  [front.url('faults'), database, swift.endpoint].map(openNetwork),
);
const answers = (kind: Fault['kind'], code?: number): Fault[] => [
  { statement: '', times: 1e6, kind, ...(code === undefined ? {} : { code }) },
];

type FaultOfStore = [name: string, seconds: number, begin: () => unknown, end: () => unknown];

/** Each begins, lasts for some seconds, and ends. */
const faults: FaultOfStore[] = [
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
  ...fullDisk('PostgreSQL has a full disk', disks?.postgres, async () => {
    if (!postgres.isRunning()) await postgres.start(); // a service manager does it
  }),
  ['bucket killed', 3, () => swift.crash(), () => swift.start()],
  ['bucket killed for long', 20, () => swift.crash(), () => swift.start()],
  ['bucket frozen', 30, () => swift.pause(), () => swift.goOn()],
  ['bucket cuts answers', 5, () => toBucket!.cutAnswers(true), () => toBucket!.cutAnswers(false)],
  ...fullDisk('bucket has a full disk', disks?.bucket),
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
  HEDDLE_SECRET_KEY: ''.padEnd(64, '0'),
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
  const { reads, writes } = await answersMeanwhile(name, project, seconds * 1000);
  const during = ledger.acknowledged;
  await end();
  const endedAt = performance.now();
  while ((await writeTo(name, project)) !== '200') await sleep(20);
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
    'reads meanwhile': reads,
    'writes meanwhile': writes,
  });
  if (/without/.test(writes)) wrong.push(`${name}: ${writes}`);
  wrong.push(...[...lost, ...half, ...(failure ? [failure] : [])].map((each) => `${name}: ${each}`));
}
await heddle.end('SIGTERM');
for (const network of [toClickHouse, toPostgres, toBucket]) network!.close();
await Promise.all([front.kill(), postgres.close(), swift.stop()]);
for (const each of [data, directory]) rmSync(each, { recursive: true, force: true });
for (const each of wrong) process.stdout.write(`${each}\n`);
process.exit(wrong.length > 0 ? 1 : 0);

/** Where the log of writes may take as much as it likes, it fills the small disk. */
function keepLogSmall(data: string): void {
  appendFileSync(join(data, 'postgresql.conf'), 'max_wal_size = 32MB\nmin_wal_size = 2MB\n');
}

/** Whatever the server frees meanwhile is used, too. */
function fullDisk(name: string, disk: SmallDisk | undefined, atEnd: () => unknown = () => {}): FaultOfStore[] {
  if (disk === undefined) return [];
  let filling: NodeJS.Timeout;
  const begin = () => {
    disk.fill(0);
    filling = setInterval(() => disk.fill(0), 100);
  };
  const end = async () => {
    clearInterval(filling);
    disk.empty();
    await atEnd();
  };
  return [[name, 20, begin, end]];
}

async function restartBucket(secret?: string): Promise<void> {
  await swift.crash();
  await swift.start(secret);
}

/** How reads, and writes to the store of a fault, are answered during this time, each status once. */
async function answersMeanwhile(
  fault: string,
  project: string,
  ms: number,
): Promise<Record<'reads' | 'writes', string>> {
  const until = performance.now() + ms;
  const statusesOf = (ask: () => Promise<string>) => {
    const statuses = new Set<string>();
    const repeat = async () => {
      while (performance.now() < until) {
        const status = await ask();
        if (performance.now() < until) statuses.add(status);
        await sleep(250);
      }
    };
    void repeat(); // not waited for: some answers take longer than the fault
    return statuses;
  };
  const reads = statusesOf(() => post('/calls/query_stats', JSON.stringify({ project_id: project })));
  const writes = statusesOf(() => writeTo(fault, project));
  await sleep(ms);
  return { reads: [...reads].join(', '), writes: [...writes].join(', ') };
}

function writeTo(fault: string, project: string): Promise<string> {
  const text = randomUUID();
  if (/bucket/.test(fault)) {
    const form = new FormData();
    form.set('project_id', project);
    form.set('file', new Blob([text]), 'text.txt');
    return post('/file/create', form);
  }
  if (/PostgreSQL/.test(fault)) {
    return post('/obj/create', JSON.stringify({ obj: { project_id: project, object_id: text, val: { text } } }));
  }
  const start = { project_id: project, id: text, op_name: 'op', started_at: new Date(), attributes: {}, inputs: {} };
  return post('/call/start', JSON.stringify({ start }));
}

async function post(path: string, body: string | FormData): Promise<string> {
  const headers: Record<string, string> = { authorization: `Bearer ${heddle.key}` };
  if (typeof body === 'string') headers['content-type'] = 'application/json';
  const response = await fetch(heddle.url + path, { method: 'POST', headers, body }).catch(() => null);
  await response?.text();
  const isUnexplained = response?.status === 503 && response.headers.get('retry-after') === null;
  return response === null ? 'none' : `${response.status}${isUnexplained ? ' without Retry-After' : ''}`;
}
