import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import { frozenSeconds, type Instruction, type Stop, stopMarks, variables } from './points.ts';
import { within } from './waiting.ts';

/** A process of heddle, which is another one after a restart. */
export type Place = { index: number; data: string; heddle: Heddle; isFrozen: boolean; log: string };

/** The processes of a run: they are killed and started again, frozen and continued, or stop by themselves at points. */
export type Places = {
  all: readonly Place[];
  counts: { kills: number; freezes: number; stops: Record<Stop, number> };
  /** What one or all do at their points from now on, and after a restart. */
  instruct(instruction: Instruction | null, one?: Place): void;
  /** Kills a process and starts it again, unless it is frozen. */
  kill(place: Place): Promise<void>;
  /** Freezes a process, unless it would be the last that goes on. @returns whether it is frozen now, by this call */
  freeze(place: Place): boolean;
  proceed(place: Place): void;
  /** All processes go on, and do nothing at their points. */
  settle(): Promise<void>;
  /** Starts those again that have ended at a point. */
  restartEnded(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  count: number;
  seed: number;
  settings: Record<string, string>;
  command: string[];
};

const lookMs = 200;
const startSeconds = 120;

export async function startPlaces({ count, seed, settings, command }: Options): Promise<Places> {
  const instructions = mkdtempSync(join(tmpdir(), 'heddle-chaos-instructions-'));
  const fileOf = (index: number) => join(instructions, String(index));
  const instructed: string[] = Array.from({ length: count }, () => '');
  const directories = Array.from({ length: count }, newDataDirectory);
  let starts = 0;

  /** A process does nothing at its points until it has started: before, nobody would notice. */
  async function start(index: number): Promise<Heddle> {
    rmSync(fileOf(index), { force: true });
    const chance = String(seed * 1000 + starts++);
    const own = { [variables.chance]: chance, [variables.instruction]: fileOf(index) };
    const starting = startHeddle(directories[index]!, { ...settings, ...own }, command);
    const heddle = await within(startSeconds, `the start of process ${index}`, starting);
    writeFileSync(fileOf(index), instructed[index]!);
    return heddle;
  }

  const all = await Promise.all(
    directories.map(
      async (data, index): Promise<Place> => ({ index, data, heddle: await start(index), isFrozen: false, log: '' }),
    ),
  );
  const counts = { kills: 0, freezes: 0, stops: { killed: 0, froze: 0, waited: 0 } };
  const restarting = new Map<Place, Promise<void>>();

  /** Counts the stops at points that a process has reported, and notes that it has frozen itself. */
  function look(place: Place): void {
    const log = place.heddle.takeLog();
    place.log += log;
    for (const [stop, mark] of Object.entries(stopMarks) as [Stop, string][]) {
      const found = log.split(mark).length - 1;
      counts.stops[stop] += found;
      if (stop !== 'froze' || found === 0) continue;
      place.isFrozen = true;
      if (instructed[place.index] === 'stop by chance') void sleep(1000 * frozenSeconds).then(() => proceed(place));
    }
  }
  const looking = setInterval(() => all.forEach(look), lookMs);

  function restart(place: Place): Promise<void> {
    const under = restarting.get(place);
    if (under) return under;
    const again = (async () => {
      look(place);
      place.heddle = await start(place.index);
      place.isFrozen = false;
    })().finally(() => restarting.delete(place));
    restarting.set(place, again);
    return again;
  }

  function instruct(instruction: Instruction | null, one?: Place): void {
    for (const { index } of one ? [one] : all) {
      instructed[index] = instruction ?? '';
      writeFileSync(fileOf(index), instructed[index]);
    }
  }

  function proceed(place: Place): void {
    if (place.isFrozen && isAlive(place)) process.kill(place.heddle.pid, 'SIGCONT');
    place.isFrozen = false;
  }

  async function restartEnded(): Promise<void> {
    await Promise.all(all.filter((place) => !isAlive(place) || restarting.has(place)).map(restart));
  }

  return {
    ...{ all, counts, instruct, proceed, restartEnded },
    async kill(place) {
      if (place.isFrozen || !isAlive(place) || restarting.has(place)) return;
      counts.kills++;
      await place.heddle.end('SIGKILL');
      await restart(place);
    },
    freeze(place) {
      const others = all.filter((other) => other !== place && !other.isFrozen && isAlive(other));
      if (place.isFrozen || !isAlive(place) || restarting.has(place) || others.length === 0) return false;
      counts.freezes++;
      place.isFrozen = true;
      process.kill(place.heddle.pid, 'SIGSTOP');
      return true;
    },
    async settle() {
      instruct(null);
      await sleep(2 * lookMs); // until those that have frozen themselves are known
      for (const place of all) proceed(place);
      await restartEnded();
    },
    async close() {
      clearInterval(looking);
      await Promise.allSettled(restarting.values());
      for (const place of all) look(place);
      await Promise.all(all.map(({ heddle }) => heddle.end('SIGKILL')));
      for (const directory of [...directories, instructions]) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Whether a process would answer now, as far as it is known. */
export function isRunning(place: Place): boolean {
  return !place.isFrozen && isAlive(place);
}

function isAlive({ heddle }: Place): boolean {
  try {
    return process.kill(heddle.pid, 0);
  } catch {
    return false;
  }
}
