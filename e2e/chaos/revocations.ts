import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { shuffled } from '../../testing/seeded.ts';
import { clientOf } from './clients.ts';
import { type Connection, openConnection } from './connection.ts';
import type { Place, Places } from './places.ts';

/** What a run has counted, and what is wrong, in words. */
export type Report = { counts: Record<Counted, number>; wrong: string[] };
type Counted = 'acknowledged' | 'watched' | 'trainingJobs' | 'overlapping' | 'revocations' | 'refused' | 'factsChecked';

/** Longer than others wait for a process that is frozen. */
const timeoutMs = 20_000;
/** Until requests have reached a process that is frozen. */
const arrivalMs = 300;

/** Takes access away while one of the processes is frozen or not, as chance has it. */
export async function revokeAtRandom(places: Places, random: () => number, report: Report): Promise<void> {
  const [at, other] = shuffled(
    places.all.filter(({ isFrozen }) => !isFrozen),
    random,
  );
  const isFrozen = random() < 0.8;
  if (at && other) await revokeAccess(places, { at, frozen: isFrozen ? other : null }, report);
  await sleep(at && other ? 1000 : 200);
}

/**
 * Gives two users access and uses it at every process. Then takes it away, the one's key and the other's membership, while a
 * process is frozen, which continues with requests that were sent after the answer. Reports what passed nevertheless.
 */
export async function revokeAccess(
  places: Places,
  { at, frozen }: { at: Place; frozen: Place | null },
  { counts, wrong }: Report,
): Promise<void> {
  const owner = clientOf(at, timeoutMs);
  const project = `ent/access-${randomUUID()}`;
  await owner.ask('POST', '/obj/create', { obj: { project_id: project, object_id: 'o', val: { a: 1 } } });
  const accesses = await Promise.all([newMember('key'), newMember('member')]);
  const connections = accesses.flatMap(({ key, lost }) =>
    places.all.map((place) => ({ place, lost, connection: openConnection(place.heddle.url, key) })),
  );
  const use = ({ connection }: { connection: Connection }) =>
    connection.send('/objs/query', { project_id: project }, timeoutMs).catch(() => null);
  const isFrozen = frozen !== null;
  try {
    await Promise.all(connections.map(use)); // so that it is in memory
    if (isFrozen && !places.freeze(frozen)) return;
    // The connections of the process have something to read before it is notified.
    const before = connections.filter(({ place }) => place === frozen).map(use);
    await sleep(isFrozen ? arrivalMs : 0);
    await Promise.all(accesses.map(({ removal }) => owner.ask('DELETE', removal)));
    counts.revocations += accesses.length;
    const after = connections.map(async (each) => ({ ...each, status: await use(each) }));
    await sleep(isFrozen ? arrivalMs : 0);
    if (isFrozen) places.proceed(frozen);
    await Promise.all(before);
    for (const { place, lost, status } of await Promise.all(after)) {
      if (status === null || status >= 500) continue;
      if (status >= 400) counts.refused++;
      else
        wrong.push(
          `process ${place.index}${place === frozen ? ', which was frozen,' : ''} answered ${status} after the ${lost} was revoked`,
        );
    }
  } finally {
    for (const { connection } of connections) connection.close();
    if (isFrozen) places.proceed(frozen);
  }

  async function newMember(lost: 'key' | 'member') {
    const username = `member-${randomUUID()}`;
    await owner.ask('POST', '/entities/ent/members', { username });
    const { id, key } = await owner.ask('POST', '/keys', { username });
    return { key, lost, removal: lost === 'key' ? `/keys/${id}` : `/entities/ent/members/${username}` };
  }
}
