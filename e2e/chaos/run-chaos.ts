import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findHalfThere } from '../kills/half-there.ts';
import { Ledger } from '../kills/ledger.ts';
import { startWriting, type Writer, writers } from '../kills/writers.ts';
import { seeded } from '../processes/random.ts';
import { startRemoteStores } from '../stores/remote-stores.ts';
import { clientOfAny, expectedStatuses, statusOf, timeoutMs } from './clients.ts';
import { findDoubleKeys } from './double-keys.ts';
import { type Places, startPlaces } from './places.ts';
import { copyWithPoints } from './planted.ts';
import { chanceVariable } from './points.ts';
import { revokeAccess } from './revocations.ts';
import { splitCalls } from './split-calls.ts';
import { findMistrained, train } from './training.ts';
import { findMisscored, type WatchedCalls, writeWatchedCalls } from './watched-calls.ts';

type Options = {
  seconds: number;
  seed: number;
  /** The name of a mistake that the processes have; null for none. */
  mistake: string | null;
  print(line: string): void;
};

/** What was written to one project, and what must hold there. */
type Round = { project: string; ledger: Ledger; watched: WatchedCalls };

const processCount = 3;
const roundMs = 60_000;

/**
 * Runs three processes on the same stores and writes to them, while they are killed, frozen and stop at points. In the end
 * everything that was acknowledged must hold at each process, and in the tables. All choices follow from the seed.
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
  let starts = 0;
  const places = await startPlaces({
    ...{ count: processCount, settings },
    command: [process.execPath, join(folder, 'src/cli/entry.mjs')],
    chanceOf: () => ({ [chanceVariable]: String(seed * 1000 + starts++) }),
  });
  const client = clientOfAny(places.all, choices.clients!, { retries, timeoutMs });
  const reader = clientOfAny(places.all, choices.clients!, { retries: true });
  const counts = { overlapping: 0, revocations: 0, refused: 0 };
  const wrong: string[] = [];
  const rounds: Round[] = [];
  const jobs = new Set<string>();
  const facts = { checked: 0 };
  const endsAt = performance.now() + seconds * 1000;

  while (performance.now() < endsAt && wrong.length === 0) await runRound();
  await settle();
  for (const round of rounds.slice(0, -1)) await verify(round); // which nothing that came later may have changed
  wrong.push(...(await findMistrained(reader, jobs)));
  facts.checked += jobs.size;
  wrong.push(...(await findDoubleKeys(settings.HEDDLE_CLICKHOUSE_URL!)));
  print(summary());
  for (const each of wrong.slice(0, 50)) print(each);
  await places.close();
  if (wrong.length > 0) print(`The logs of the processes are in ${keepLogs(places)}`);
  await stores.close();
  rmSync(folder, { recursive: true, force: true });
  Math.random = before;
  return { wrong };

  async function runRound(): Promise<void> {
    const watched: WatchedCalls = { acknowledged: new Map(), monitor: null };
    const round: Round = { project: `ent/round${rounds.length}`, ledger: new Ledger(), watched };
    rounds.push(round);
    const more: Record<string, Writer> = {
      split: splitCalls(places.all, choices.clients!, counts),
      watched: writeWatchedCalls(watched),
      training: train(jobs),
    };
    const { fineTuning: _, ...others } = writers; // `training` checks more of the same jobs
    const { split, watched: watchedWriter } = more as Record<'split' | 'watched', Writer>;
    const writing = [
      startWriting(client, round.project, round.ledger, expectedStatuses, { ...others, ...more }),
      startWriting(client, round.project, round.ledger, expectedStatuses, { split, watchedWriter }),
      startWriting(client, round.project, round.ledger, expectedStatuses, { split, watchedWriter }),
    ];
    const roundEndsAt = Math.min(endsAt, performance.now() + roundMs);
    await Promise.all([whileRunning(roundEndsAt, disturb), whileRunning(roundEndsAt, revoke)]);
    for (const each of writing) each.stop();
    await settle();
    const faults = await Promise.allSettled(writing.map(({ ended }) => ended));
    for (const each of faults) if (each.status === 'rejected') wrong.push(`a request: ${each.reason.message}`);
    await verify(round);
    print(`round ${rounds.length}: ${summary()}`);
  }

  async function whileRunning(until: number, work: () => Promise<void>): Promise<void> {
    while (performance.now() < until && wrong.length === 0) await work();
  }

  /** Kills one process and starts it again, or freezes it for a while, sometimes for longer than its leases. */
  async function disturb(): Promise<void> {
    const random = choices.disruptions!;
    await sleep(500 + 3000 * random());
    await places.restartEnded();
    const place = places.all[Math.floor(random() * processCount)]!;
    const [isKilled, isLong, share] = [random() < 0.4, random() < 0.3, random()];
    const frozenMs = isLong ? 10_500 + 2500 * share : 3000 * share;
    if (isKilled) await places.kill(place);
    else if (places.freeze(place)) void sleep(frozenMs).then(() => places.proceed(place));
  }

  async function revoke(): Promise<void> {
    await revokeAccess(places, choices.revocations!, { counts, wrong }).catch(async (error: Error) => {
      const status = statusOf(error);
      if (status !== null && !expectedStatuses.includes(status)) wrong.push(`a revocation: ${error.message}`);
      await sleep(200);
    });
  }

  /** All processes go on. */
  async function settle(): Promise<void> {
    for (const place of places.all) places.proceed(place);
    await places.restartEnded();
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
