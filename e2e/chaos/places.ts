import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import { frozenSeconds, type Stop, stopMarks } from './points.ts';

/** A process of heddle, which is another one after a restart. */
export type Place = { index: number; data: string; heddle: Heddle; isFrozen: boolean; log: string };

/** The processes of a run: they are killed and started again, frozen and continued, or stop by themselves at points. */
export type Places = {
  all: readonly Place[];
  counts: { kills: number; freezes: number; stops: Record<Stop, number> };
  /** Kills a process and starts it again, unless it is frozen. */
  kill(place: Place): Promise<void>;
  /** Freezes a process, unless it would be the last that goes on. @returns whether it is frozen now, by this call */
  freeze(place: Place): boolean;
  proceed(place: Place): void;
  /** Starts those again that have ended at a point. */
  restartEnded(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  count: number;
  settings: Record<string, string>;
  command: string[];
  /** The environment of the next start of a process, from which it chooses where to stop. */
  chanceOf(index: number): Record<string, string>;
};

const lookMs = 200;

export async function startPlaces({ count, settings, command, chanceOf }: Options): Promise<Places> {
  const directories = Array.from({ length: count }, newDataDirectory);
  const start = (index: number) => startHeddle(directories[index]!, { ...settings, ...chanceOf(index) }, command);
  const all = await Promise.all(
    directories.map(
      async (_, index): Promise<Place> => ({
        index,
        data: directories[index]!,
        heddle: await start(index),
        isFrozen: false,
        log: '',
      }),
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
      void sleep(1000 * frozenSeconds).then(() => proceed(place));
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

  function proceed(place: Place): void {
    if (place.isFrozen && isAlive(place)) process.kill(place.heddle.pid, 'SIGCONT');
    place.isFrozen = false;
  }

  return {
    all,
    counts,
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
    proceed,
    async restartEnded() {
      await Promise.all(all.filter((place) => !isAlive(place)).map(restart));
    },
    async close() {
      clearInterval(looking);
      await Promise.all(restarting.values());
      for (const place of all) look(place);
      await Promise.all(all.map(({ heddle }) => heddle.end('SIGKILL')));
      for (const directory of directories) rmSync(directory, { recursive: true, force: true });
    },
  };
}

function isAlive({ heddle }: Place): boolean {
  try {
    return process.kill(heddle.pid, 0);
  } catch {
    return false;
  }
}
