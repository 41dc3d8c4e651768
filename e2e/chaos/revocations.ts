import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../kills/client.ts';
import { shuffled } from '../processes/random.ts';
import { clientOf } from './clients.ts';
import type { Place, Places } from './places.ts';

type Counts = { revocations: number; refused: number };

/**
 * Gives a user access, uses it at every process, and takes it away, often while one of them is frozen, which continues with
 * requests that were sent after the answer. Adds what passed nevertheless to `wrong`.
 */
export async function revokeAccess(
  places: Places,
  random: () => number,
  { counts, wrong }: { counts: Counts; wrong: string[] },
): Promise<void> {
  const running = places.all.filter(({ isFrozen }) => !isFrozen);
  const [at, other] = shuffled(running, random);
  if (!at || !other) return void (await sleep(200));
  const owner = clientOf(at);
  const project = `ent/access-${randomUUID()}`;
  const username = `member-${randomUUID()}`;
  await owner.ask('POST', '/entities/ent/members', { username });
  const { id, key } = await owner.ask('POST', '/keys', { username });
  await owner.ask('POST', '/obj/create', { obj: { project_id: project, object_id: 'o', val: { a: 1 } } });
  const read = (client: Client) => client.try('POST', '/objs/query', { project_id: project }, key);
  await Promise.all(places.all.map((place) => read(clientOf(place)))); // so that it is in memory
  const isFrozen = random() < 0.8 && places.freeze(other);
  try {
    const isOfKey = random() < 0.5;
    const remove = isOfKey ? `/keys/${id}` : `/entities/ent/members/${username}`;
    await owner.ask('DELETE', remove);
    counts.revocations++;
    const after = places.all.flatMap((place) => [use(place), use(place)]);
    if (isFrozen) places.proceed(other);
    await Promise.all(after);

    async function use(place: Place): Promise<void> {
      const answer = await read(clientOf(place)).catch(() => null);
      if (answer === null || answer.status >= 500) return;
      if (answer.status >= 400) counts.refused++;
      else
        wrong.push(
          `process ${place.index} ${isFrozen && place === other ? '(which was frozen) ' : ''}answered ${answer.status} ` +
            `to ${username} after the ${isOfKey ? `revocation of the key ${id}` : 'removal of the member'} was answered`,
        );
    }
  } finally {
    if (isFrozen) places.proceed(other);
  }
}
