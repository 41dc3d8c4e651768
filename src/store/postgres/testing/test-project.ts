import type { Postgres } from '../postgres.ts';

/** Adds the entity `e` and its project `p`, which other rows refer to. */
export async function addTestProject({ db }: Postgres): Promise<void> {
  await db.insertInto('entities').values({ id: 'e', name: 'e' }).execute();
  await db.insertInto('projects').values({ id: 'p', entity_id: 'e', name: 'p' }).execute();
}
