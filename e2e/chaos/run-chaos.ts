import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findHalfThere } from '../kills/half-there.ts';
import { Ledger } from '../kills/ledger.ts';
import { startWriting, type Writer, writers } from '../kills/writers.ts';
import { seeded } from '../processes/random.ts';
import { startRemoteStores } from '../stores/remote-stores.ts';
import { expectedStatuses, readerOfAny, statusOf, writerOfAny } from './clients.ts';
import { findDoubleKeys } from './double-keys.ts';
import { writeLate } from './late-call.ts';
import { type Place, type Places, startPlaces } from './places.ts';
import { copyWithPoints, type Part, planted } from './planted.ts';
import { revokeAccess, revokeAtRandom } from './revocations.ts';
import { splitCalls } from './split-calls.ts';
import { takeOver } from './takeover.ts';
import { findMistrained, train } from './training.ts';
import { within } from './waiting.ts';
import { findMisscored, newWatchedCalls, type WatchedCalls, writeWatchedCalls } from './watched-calls.ts';

type Options = {
  /** How long it writes under disruptions. */
  seconds: number;
  seed: number;
  /** The name of a mistake that the processes have; null for none. */
  mistake: string | null;
  print(line: string): void;
};

/** What was written to one project, and what must hold there. */
type Round = { project: string; ledger: Ledger; watched: WatchedCalls };

/** Arranged cases need two. */
const processesFor = (mistake: string | null) => (mistake === null ? 3 : 2);
const roundMs = 60_000;
/** For what normally takes a few seconds, on a machine that is busy. */
const patience = 300;
const parts: Part[] = ['revocation', 'late call', 'takeover', 'writing'];

/**
 * Runs three processes on the same stores. First it arranges cases that chance rarely brings about. Then it writes to all of them,
 * while they are killed, frozen and stop at points. In the end everything that was acknowledged must hold at each process, and in
 * the tables. All choices follow from the seed. With a mistake, only the part that finds it is run.
 * @returns what is wrong, in words
 */
export async function runChaos({ seconds, seed, mistake, print }: Options): Promise<{ wrong: string[] }> {
  const choices = Object.fromEntries(
    ['retries', 'writers', 'clients', 'disruptions', 'revocations'].map((name, i) => [name, seeded(seed * 100 + i)]),
  ) as Record<string, () => number>;
  const { random: before } = Math;
  Math.random = choices.writers!; // of the writers, which know no seed
  const retries = choices.retries!() < 0.5;
  print(`seed ${seed}, ${seconds} s, clients ${retries ? 'retry' : 'do not retry'}, mistake: ${mistake ?? 'none'}`);

  const stores = await startRemoteStores();
  const settings: Record<string, string> = {
    ...(await stores.newDeployment()),
    HEDDLE_CLICKHOUSE_INSERTS_PER_SECOND_MAX: '1000',
    HEDDLE_MONITOR_CALLS_PER_HOUR_MAX: '1000000',
  };
  const folder = copyWithPoints(mistake);
  print('the stores have started, the processes start');
  const command = [process.execPath, '--liftoff-only', join(folder, 'src/cli/entry.mjs')];
  const places = await startPlaces({ count: processesFor(mistake), seed, settings, command });
  const client = writerOfAny(places.all, choices.clients!, retries);
  const reader = readerOfAny(places.all, choices.clients!);
  const counts = { overlapping: 0, revocations: 0, refused: 0 };
  const wrong: string[] = [];
  const rounds: Round[] = [];
  const jobs = new Set<string>();
  const facts = { checked: 0 };

  for (const part of mistake === null ? parts : [planted[mistake]!.foundBy]) {
    print(`part: ${part}`);
    if (wrong.length === 0) await within(patience + 2 * seconds, part, run(part));
  }
  wrong.push(...(await findDoubleKeys(settings.HEDDLE_CLICKHOUSE_URL!)));
  print(summary());
  for (const each of wrong.slice(0, 50)) print(each);
  await places.close();
  if (wrong.length > 0) print(`The logs of the processes are in ${keepLogs(places)}`);
  await stores.close();
  rmSync(folder, { recursive: true, force: true });
  Math.random = before;
  return { wrong };

  async function run(part: Part): Promise<void> {
    if (part === 'writing') return await write();
    if (part === 'revocation') {
      const [at, frozen] = places.all as [Place, Place];
      return await revokeAccess(places, { at, frozen }, { counts, wrong });
    }
    if (part === 'late call') {
      const project = 'ent/late';
      const watched = await writeLate(places, project);
      return void wrong.push(...(await findMisscored(reader, project, watched)));
    }
    part satisfies 'takeover';
    wrong.push(...(await findMistrained(reader, new Set([await takeOver(places)]))));
  }

  async function write(): Promise<void> {
    const endsAt = performance.now() + seconds * 1000;
    while (performance.now() < endsAt && wrong.length === 0) await runRound(endsAt);
    if (rounds.length > 1) print('verifying all rounds, which nothing that came later may have changed');
    for (const round of rounds.slice(0, -1)) await verify(round);
    wrong.push(...(await findMistrained(reader, jobs)));
    facts.checked += jobs.size;
  }

  async function runRound(endsAt: number): Promise<void> {
    const round: Round = { project: `ent/round${rounds.length}`, ledger: new Ledger(), watched: newWatchedCalls() };
    rounds.push(round);
    print(`round ${rounds.length}: writing`);
    places.instruct('stop by chance');
    const writing = chosenWriters(round).map((each) =>
      startWriting(client, round.project, round.ledger, expectedStatuses, each),
    );
    const roundEndsAt = Math.min(endsAt, performance.now() + roundMs);
    const disruptions = [disturb, ...(mistake === null ? [revoke] : [])];
    await Promise.all(disruptions.map((each) => whileRunning(roundEndsAt, each)));
    for (const each of writing) each.stop();
    print(`round ${rounds.length}: settling`);
    await places.settle();
    const faults = await Promise.allSettled(writing.map(({ ended }) => ended));
    for (const each of faults) if (each.status === 'rejected') wrong.push(`a request: ${each.reason.message}`);
    print(`round ${rounds.length}: verifying`);
    await verify(round);
    print(`round ${rounds.length}: ${summary()}`);
  }

  /** All writers, and more of those whose parts meet. Mistakes that writing finds are in the writes of calls. */
  function chosenWriters({ watched }: Round): Record<string, Writer>[] {
    const split = splitCalls(places.all, choices.clients!, counts);
    const { fineTuning: _, ...others } = writers; // `training` checks more of the same jobs
    const watchedCalls = writeWatchedCalls(watched);
    if (mistake !== null) return Array.from({ length: 4 }, () => ({ split }));
    return [{ ...others, split, watchedCalls, training: train(jobs) }, { split, watchedCalls }, { split }];
  }

  async function whileRunning(until: number, work: () => Promise<void>): Promise<void> {
    while (performance.now() < until && wrong.length === 0) await work();
  }

  /** Kills one process and starts it again, or freezes it for a while, sometimes for longer than its leases. */
  async function disturb(): Promise<void> {
    const random = choices.disruptions!;
    await sleep(500 + 3000 * random());
    await places.restartEnded();
    const place = places.all[Math.floor(random() * places.all.length)]!;
    const [isKilled, isLong, share] = [random() < 0.4, random() < 0.3, random()];
    const frozenMs = isLong ? 10_500 + 2500 * share : 3000 * share;
    if (isKilled) await places.kill(place);
    else if (places.freeze(place)) void sleep(frozenMs).then(() => places.proceed(place));
  }

  async function revoke(): Promise<void> {
    await revokeAtRandom(places, choices.revocations!, { counts, wrong }).catch(async (error: Error) => {
      const status = statusOf(error);
      if (status !== null && !expectedStatuses.includes(status)) wrong.push(`a revocation: ${error.message}`);
      await sleep(200);
    });
  }

  /** What does not hold at one of the processes, each fact at another. */
  async function verify({ project, ledger, watched }: Round): Promise<void> {
    facts.checked += ledger.size + watched.acknowledged.size;
    for (const each of await ledger.verify(reader)) wrong.push(`${project}: ${each}`);
    for (const each of await findHalfThere(reader, project)) wrong.push(`${project}: ${each}`);
    wrong.push(...(await findMisscored(reader, project, watched)));
  }

  function summary(): string {
    const acknowledged = rounds.reduce((sum, { ledger }) => sum + ledger.acknowledged, 0);
    const watched = rounds.reduce((sum, each) => sum + each.watched.acknowledged.size, 0);
    const written = { acknowledged, watched, trainingJobs: jobs.size, ...counts };
    return JSON.stringify({ ...places.counts, ...written, factsChecked: facts.checked, wrong: wrong.length });
  }
}

/** @returns the folder of the logs */
function keepLogs({ all }: Places): string {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-chaos-logs-'));
  for (const { index, log } of all) writeFileSync(join(folder, `process-${index}.log`), log);
  return folder;
}
