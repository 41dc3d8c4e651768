import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '../../testing/seeded.ts';
import { startRemoteStores } from '../stores/remote-stores.ts';
import { readerOfAny } from './clients.ts';
import { findDoubleKeys } from './double-keys.ts';
import { writeLate } from './late-call.ts';
import { type Place, type Places, startPlaces } from './places.ts';
import { copyWithPoints, type Part, planted } from './planted.ts';
import { type Report, revokeAccess } from './revocations.ts';
import { takeOver } from './takeover.ts';
import { findMistrained } from './training.ts';
import { within } from './waiting.ts';
import { findMisscored } from './watched-calls.ts';
import { type Choices, writeRounds } from './write-rounds.ts';

type Options = {
  /** How long it writes under disruptions. */
  seconds: number;
  seed: number;
  /** The name of a mistake that the processes have; null for none. */
  mistake: string | null;
  print(line: string): void;
};

type Opened = { url: string; places: Places; wrong: string[] };

/** How much longer than it writes a part may take on a machine that is busy. */
const patience = 400;
const parts: Part[] = ['revocation', 'late call', 'takeover', 'writing'];

/**
 * Runs three processes on the same stores. First it arranges cases that chance rarely brings about. Then it writes to all of them,
 * while they are killed, frozen and stop at points. In the end everything that was acknowledged must hold at each process, and in
 * the tables. All choices follow from the seed. With a mistake, only the part that finds it runs, an arranged case with two processes.
 * @returns what is wrong, in words
 */
export async function runChaos({ seconds, seed, mistake, print }: Options): Promise<{ wrong: string[] }> {
  const choices = choicesOf(seed);
  const { random } = Math;
  Math.random = choices.writers; // of the writers, which know no seed
  const retries = choices.retries() < 0.5;
  print(`seed ${seed}, ${seconds} s, clients ${retries ? 'retry' : 'do not retry'}, mistake: ${mistake ?? 'none'}`);
  try {
    return await withPlaces({ mistake, seed, print }, async ({ url, places, wrong }) => {
      const reader = readerOfAny(places.all, choices.clients);
      const none = { overlapping: 0, revocations: 0, refused: 0 };
      const counts = { acknowledged: 0, watched: 0, trainingJobs: 0, factsChecked: 0, ...none };
      const report: Report = { counts, wrong };
      for (const part of mistake === null ? parts : [planted[mistake]!.foundBy]) {
        if (wrong.length > 0) break;
        print(`part: ${part}`);
        await within(patience + 2 * seconds, part, run(part));
      }
      wrong.push(...(await findDoubleKeys(url)));
      print(JSON.stringify({ ...places.counts, ...counts, wrong: wrong.length }));
      for (const each of wrong.slice(0, 20)) print(each);

      async function run(part: Part): Promise<void> {
        const [at, frozen] = places.all as [Place, Place];
        switch (part) {
          case 'revocation':
            return await revokeAccess(places, { at, frozen }, report);
          case 'late call': {
            const project = 'ent/late';
            const watched = await writeLate(places, project);
            return void wrong.push(...(await findMisscored(reader, project, watched)));
          }
          case 'takeover':
            return void wrong.push(...(await findMistrained(reader, new Set([await takeOver(places)]))));
          case 'writing': {
            const deps = { places, reader, choices, retries, report };
            return await writeRounds(deps, { seconds, isOfCalls: mistake !== null, print });
          }
          default:
            part satisfies never;
        }
      }
    });
  } finally {
    Math.random = random;
  }
}

function choicesOf(seed: number): Choices {
  const [retries, writers, clients, disruptions, revocations] = Array.from({ length: 5 }, (_, i) =>
    seeded(seed * 100 + i),
  ) as [() => number, () => number, () => number, () => number, () => number];
  return { retries, writers, clients, disruptions, revocations };
}

/** Starts stores and processes, and stops them after the work. */
async function withPlaces(
  { mistake, seed, print }: Pick<Options, 'mistake' | 'seed' | 'print'>,
  work: (opened: Opened) => Promise<void>,
): Promise<{ wrong: string[] }> {
  print('starting the stores');
  const stores = await startRemoteStores();
  const folder = copyWithPoints(mistake);
  try {
    print('starting the processes');
    const deployment = await stores.newDeployment();
    const limits = { HEDDLE_CLICKHOUSE_INSERTS_PER_SECOND_MAX: '1000', HEDDLE_MONITOR_CALLS_PER_HOUR_MAX: '1000000' };
    const command = [process.execPath, '--liftoff-only', join(folder, 'src/cli/entry.mjs')];
    const count = mistake === null || planted[mistake]!.foundBy === 'writing' ? 3 : 2;
    const places = await startPlaces({ count, seed, settings: { ...deployment, ...limits }, command });
    const wrong: string[] = [];
    let hasEnded = false;
    try {
      await work({ url: deployment.HEDDLE_CLICKHOUSE_URL!, places, wrong });
      hasEnded = true;
    } finally {
      await places.close();
      if (!hasEnded || wrong.length > 0) print(`The logs of the processes are in ${keepLogs(places)}`);
    }
    return { wrong };
  } finally {
    await stores.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the folder of the logs */
function keepLogs({ all }: Places): string {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-chaos-logs-'));
  for (const { index, log } of all) writeFileSync(join(folder, `process-${index}.log`), log);
  return folder;
}
