import { setTimeout as sleep } from 'node:timers/promises';
import { generousLimits } from '../../src/store/clickhouse/lanes/read-limits.ts';
import { serverClickHouse } from '../../src/store/clickhouse/server/open.ts';
import { parseServerUrl } from '../../src/store/clickhouse/server/server-url.ts';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import type { Client } from '../kills/client.ts';
import { openClient } from '../kills/client.ts';
import { findHalfThere } from '../kills/half-there.ts';
import { Ledger } from '../kills/ledger.ts';
import { startWriting } from '../kills/writers.ts';
import { seeded } from '../processes/random.ts';
import { startRemoteStores } from '../stores/remote-stores.ts';

/**
 * Three processes on the same stores, with writes of every kind that go to any of them. Every few seconds one is killed and started
 * again, or frozen and continued. In the end everything that was acknowledged must hold at each process.
 *
 *     npm run chaos -- [minutes] [seed]
 */

const minutes = Number(process.argv[2] ?? 30);
const seed = Number(process.argv[3] ?? Date.now() % 1e6);
const random = seeded(seed);
const processCount = 3;
/** Longer than a lease, so that others go on without a frozen process. */
const freezeMsMax = 14_000;
/** Of stores that are away from a process, and of a process that drains. */
const expectedStatuses = [502, 503, 507];

type Place = { data: string; heddle: Heddle; isFrozen: boolean };

const stores = await startRemoteStores();
const settings: Record<string, string> = {
  ...(await stores.newDeployment()),
  HEDDLE_CLICKHOUSE_INSERTS_PER_SECOND_MAX: '1000',
};
const places = await Promise.all(
  Array.from({ length: processCount }, async (): Promise<Place> => {
    const data = newDataDirectory();
    return { data, heddle: await startHeddle(data, settings), isFrozen: false };
  }),
);
const counts = { kills: 0, freezes: 0, acknowledged: 0, facts: 0 };
const wrong: string[] = [];
const rounds: { project: string; ledger: Ledger }[] = [];
const endsAt = performance.now() + minutes * 60_000;
print(`seed ${seed}, ${minutes} minutes`);

while (performance.now() < endsAt && wrong.length === 0) {
  const round = { project: `ent/round${rounds.length}`, ledger: new Ledger() };
  rounds.push(round);
  const writing = Array.from({ length: 2 }, () =>
    startWriting(clientOfAny(), round.project, round.ledger, expectedStatuses),
  );
  const roundEndsAt = Math.min(endsAt, performance.now() + 60_000);
  while (performance.now() < roundEndsAt) {
    await sleep(500 + 3000 * random());
    await disturb();
  }
  for (const each of writing) each.stop();
  for (const place of places) proceed(place);
  await Promise.all(writing.map(({ ended }) => ended)).catch((error: Error) =>
    wrong.push(`a request: ${error.message}`),
  );
  await verify(round);
  print(`round ${rounds.length}: ${JSON.stringify(counts)}, wrong: ${wrong.length}`);
}
for (const round of rounds) await verify(round);
wrong.push(...(await findDoubleKeys()));
print(JSON.stringify({ seed, minutes, ...counts, wrong: wrong.length }));
for (const each of wrong) print(each);
for (const { heddle } of places) await heddle.end('SIGKILL');
await stores.close();
process.exitCode = wrong.length > 0 ? 1 : 0;

/** Kills one process and starts it again, or freezes it for a while. At least one goes on. */
async function disturb(): Promise<void> {
  const running = places.filter(({ isFrozen }) => !isFrozen);
  const place = running[Math.floor(random() * running.length)]!;
  if (running.length < 2) return;
  if (random() < 0.5) {
    counts.kills++;
    await place.heddle.end('SIGKILL');
    place.heddle = await startHeddle(place.data, settings);
    return;
  }
  counts.freezes++;
  place.isFrozen = true;
  process.kill(place.heddle.pid, 'SIGSTOP');
  void sleep(freezeMsMax * random()).then(() => proceed(place));
}

function proceed(place: Place): void {
  if (place.isFrozen) process.kill(place.heddle.pid, 'SIGCONT');
  place.isFrozen = false;
}

/** Sends each request to any of the processes. */
function clientOfAny(): Client {
  const any = () => {
    const { heddle, data } = places[Math.floor(random() * places.length)]!;
    return openClient(heddle, data);
  };
  return {
    get url() {
      return any().url;
    },
    ask: (...request) => any().ask(...request),
    try: (...request) => any().try(...request),
    upload: (...request) => any().upload(...request),
    admin: (...request) => any().admin(...request),
  };
}

/** What does not hold at one of the processes, each fact at another. */
async function verify({ project, ledger }: (typeof rounds)[number]): Promise<void> {
  const client = clientOfAny();
  counts.acknowledged = rounds.reduce((sum, each) => sum + each.ledger.acknowledged, 0);
  counts.facts = rounds.reduce((sum, each) => sum + each.ledger.size, 0);
  for (const each of await ledger.verify(client)) wrong.push(`${project}: ${each}`);
  for (const each of await findHalfThere(client, project)) wrong.push(`${project}: ${each}`);
}

/** Calls with more than one live row. */
async function findDoubleKeys(): Promise<string[]> {
  const address = parseServerUrl(settings.HEDDLE_CLICKHOUSE_URL!);
  const { store } = await serverClickHouse({ address, limits: generousLimits, insertsPerSecondMax: 10 });
  const rows = await store.query<{ id: string }>(
    'SELECT id FROM calls FINAL WHERE is_deleted = 0 GROUP BY project_id, id HAVING count() > 1 LIMIT 100',
  );
  await store.close();
  return rows.map(({ id }) => `call ${id} has more than one live row`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
