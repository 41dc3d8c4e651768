import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../kills/client.ts';
import { findHalfThere } from '../kills/half-there.ts';
import { Ledger } from '../kills/ledger.ts';
import { startWriting, type Writer, writers } from '../kills/writers.ts';
import { expectedStatuses, statusOf, writerOfAny } from './clients.ts';
import type { Places } from './places.ts';
import { type Report, revokeAtRandom } from './revocations.ts';
import { splitCalls } from './split-calls.ts';
import { findMistrained, train } from './training.ts';
import { findMisscored, newWatchedCalls, type WatchedCalls, writeWatchedCalls } from './watched-calls.ts';

/** Numbers from 0 to 1 for each kind of choice. */
export type Choices = Record<'retries' | 'writers' | 'clients' | 'disruptions' | 'revocations', () => number>;

type Deps = { places: Places; reader: Client; choices: Choices; retries: boolean; report: Report };
type Options = {
  seconds: number;
  /** Whether only calls are written whose parts meet, so that a mistake in their writes is found soon. */
  isOfCalls: boolean;
  print(line: string): void;
};

/** What was written to one project, and what must hold there. */
type Round = { project: string; ledger: Ledger; watched: WatchedCalls };

const roundMs = 60_000;

/**
 * Writes to processes that are killed, frozen and stop at points. Reports what was acknowledged and does not hold, after each round
 * and once more in the end.
 */
export async function writeRounds(
  { places, reader, choices, retries, report }: Deps,
  { seconds, isOfCalls, print }: Options,
): Promise<void> {
  const { counts, wrong } = report;
  const client = writerOfAny(places.all, choices.clients, retries);
  const jobs = new Set<string>();
  const rounds: Round[] = [];
  const endsAt = performance.now() + seconds * 1000;
  while (performance.now() < endsAt && wrong.length === 0) await runRound();
  // Nothing that came later may have changed these.
  for (const round of rounds.slice(0, -1)) await verify(round);
  print('looking at the training jobs');
  wrong.push(...(await findMistrained(reader, jobs)));
  counts.trainingJobs += jobs.size;

  async function runRound(): Promise<void> {
    const round: Round = { project: `ent/round${rounds.length}`, ledger: new Ledger(), watched: newWatchedCalls() };
    rounds.push(round);
    const say = (what: string) => print(`round ${rounds.length}: ${what}`);
    say('writing');
    places.instruct('stop by chance');
    const writing = chosenWriters(round).map((each) =>
      startWriting(client, round.project, round.ledger, expectedStatuses, each),
    );
    const roundEndsAt = Math.min(endsAt, performance.now() + roundMs);
    const disruptions = isOfCalls ? [disturb] : [disturb, revoke];
    try {
      await Promise.all(disruptions.map((each) => whileRunning(roundEndsAt, each)));
    } finally {
      for (const each of writing) each.stop();
    }
    say('settling');
    await places.settle();
    const faults = await Promise.allSettled(writing.map(({ ended }) => ended));
    for (const each of faults) if (each.status === 'rejected') wrong.push(`a request: ${each.reason.message}`);
    counts.acknowledged += round.ledger.acknowledged;
    counts.watched += round.watched.acknowledged.size;
    say('verifying');
    await verify(round);
    say(JSON.stringify({ ...places.counts, ...counts, wrong: wrong.length }));
  }

  /** All writers, and more of those whose parts meet. */
  function chosenWriters({ watched }: Round): Record<string, Writer>[] {
    const split = splitCalls(places.all, choices.clients, counts);
    if (isOfCalls) return Array.from({ length: 4 }, () => ({ split }));
    const { fineTuning: _, ...others } = writers; // `training` checks more of the same jobs
    const watchedCalls = writeWatchedCalls(watched);
    return [{ ...others, split, watchedCalls, training: train(jobs) }, { split, watchedCalls }, { split }];
  }

  async function whileRunning(until: number, work: () => Promise<void>): Promise<void> {
    while (performance.now() < until && wrong.length === 0) await work();
  }

  /** Kills one process and starts it again, or freezes it for a while, sometimes for longer than its leases. */
  async function disturb(): Promise<void> {
    const random = choices.disruptions;
    await sleep(500 + 3000 * random());
    await places.restartEnded();
    const place = places.all[Math.floor(random() * places.all.length)]!;
    const [isKilled, isLong, share] = [random() < 0.4, random() < 0.3, random()];
    const frozenMs = isLong ? 10_500 + 2500 * share : 3000 * share;
    if (isKilled) await places.kill(place);
    else if (places.freeze(place)) void sleep(frozenMs).then(() => places.proceed(place));
  }

  async function revoke(): Promise<void> {
    await revokeAtRandom(places, choices.revocations, report).catch(async (error: Error) => {
      const status = statusOf(error);
      if (status !== null && !expectedStatuses.includes(status)) wrong.push(`a revocation: ${error.message}`);
      await sleep(200);
    });
  }

  /** What does not hold at one of the processes, each fact at another. */
  async function verify({ project, ledger, watched }: Round): Promise<void> {
    counts.factsChecked += ledger.size + watched.acknowledged.size;
    for (const each of await ledger.verify(reader)) wrong.push(`${project}: ${each}`);
    for (const each of await findHalfThere(reader, project)) wrong.push(`${project}: ${each}`);
    wrong.push(...(await findMisscored(reader, project, watched)));
  }
}
