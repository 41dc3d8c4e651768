import { Ledger } from '../kills/ledger.ts';
import { clientOf } from './clients.ts';
import type { Places } from './places.ts';
import { stopMarks } from './points.ts';
import { until } from './waiting.ts';
import { countScores, newWatchedCalls, type WatchedCalls, writeWatchedCalls } from './watched-calls.ts';

/** Long enough for several passes of the watcher of monitors, which is every 5 s. */
const heldSeconds = 16;
const timeoutMs = 60_000;

/**
 * Holds a call between its parts and its row, while another process writes calls, which have later numbers, and the watcher of
 * monitors looks.
 */
export async function writeLate(places: Places, project: string): Promise<WatchedCalls> {
  const [one, other] = places.all.map((place) => clientOf(place, timeoutMs));
  const watched = newWatchedCalls();
  const ledger = new Ledger();
  const write = (client = other!) => writeWatchedCalls(watched, () => true)(client, project, ledger);
  const isScored = async () => (await countScores(other!, project)).size === watched.acknowledged.size;
  await write();
  await until(60, isScored);
  const held = places.all[0]!;
  const marks = () => held.log.split(stopMarks.waited).length;
  const before = marks();
  places.instruct('hold calls', held);
  const late = write(one);
  if (!(await until(30, () => marks() > before))) throw new Error('No call is held');
  for (let i = 0; i < 5; i++) await write();
  await until(heldSeconds, isScored);
  places.instruct(null);
  await late;
  return watched;
}
