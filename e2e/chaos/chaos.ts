import { rmSync } from 'node:fs';
import { join } from 'node:path';
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
import { copyWithPoints, planted } from './planted.ts';

/**
 * Three processes on the same stores, with writes of every kind that go to any of them. Every few seconds one is killed and started
 * again, or frozen and continued; besides, they stop at the points of `planted.ts`. In the end everything that was acknowledged must
 * hold at each process. With the name of a mistake, the processes have it, and the run must find it.
 *
 *     npm run chaos -- [minutes] [seed] [mistake]
 */

const minutes = Number(process.argv[2] ?? 30);
const seed = Number(process.argv[3] ?? Date.now() % 1e6);
const mistake = process.argv[4] ?? null;
if (mistake !== null && !(mistake in planted)) throw new Error(`There are these mistakes: ${Object.keys(planted)}`);
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
const folder = copyWithPoints(mistake);
const command = [process.execPath, join(folder, 'src/cli/entry.mjs')];
const places = await Promise.all(
  Array.from({ length: processCount }, async (): Promise<Place> => {
    const data = newDataDirectory();
    return { data, heddle: await startHeddle(data, settings, command), isFrozen: false };
  }),
);
const counts = { kills: 0, ownKills: 0, freezes: 0, acknowledged: 0, facts: 0 };
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
for (const each of wrong.slice(0, 20)) print(each);
for (const { heddle } of places) await heddle.end('SIGKILL');
await stores.close();
rmSync(folder, { recursive: true, force: true });
const isAsWanted = mistake === null ? wrong.length === 0 : wrong.length > 0;
process.exitCode = isAsWanted ? 0 : 1;

/** Kills one process and starts it again, or freezes it for a while. At least one goes on. */
async function disturb(): Promise<void> {
  for (const place of places) if (!isAlive(place)) await restart(place);
  const running = places.filter(({ isFrozen }) => !isFrozen);
  const place = running[Math.floor(random() * running.length)]!;
  if (running.length < 2) return;
  if (random() < 0.5) {
    counts.kills++;
    await place.heddle.end('SIGKILL');
    place.heddle = await startHeddle(place.data, settings, command);
    return;
  }
  counts.freezes++;
  place.isFrozen = true;
  process.kill(place.heddle.pid, 'SIGSTOP');
  void sleep(freezeMsMax * random()).then(() => proceed(place));
}

/** False if it has stopped at a point for ever. */
function isAlive({ heddle }: Place): boolean {
  try {
    return process.kill(heddle.pid, 0);
  } catch {
    return false;
  }
}

async function restart(place: Place): Promise<void> {
  counts.ownKills++;
  place.isFrozen = false;
  place.heddle = await startHeddle(place.data, settings, command);
}

function proceed(place: Place): void {
  if (place.isFrozen && isAlive(place)) process.kill(place.heddle.pid, 'SIGCONT');
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
  for (const place of places) if (!isAlive(place)) await restart(place);
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
