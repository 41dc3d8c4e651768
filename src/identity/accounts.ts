import { userInfo } from 'node:os';
import { sql } from 'kysely';
import { newId } from '../contract/ids.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { conflict, invalidInput, notFound } from '../util/failures.ts';
import { hashKey, keyEnding, makeKey } from './keys.ts';
import { nameFault } from './names.ts';
import { ensureEntity } from './projects.ts';
import { endSessionsOfKey } from './sessions.ts';

type KeyRecord = {
  id: string;
  user: string;
  name: string;
  ending: string;
  createdAt: Date;
  revokedAt: Date | null;
};

/** Users and their keys. */
export type Accounts = {
  /**
   * On the first start, creates the owner, an entity with their name and a key, and returns the key, which can only be
   * read then. Null if there is already an owner. Empty strings mean the system user's name and a random key.
   */
  ensureOwner(wish: { name: string; apiKey: string }): Promise<string | null>;
  /** Creates a user who belongs to an entity: the named one, or a new one with the user's name. */
  createUser(name: string, entity?: string): Promise<{ id: string; username: string; entity: string }>;
  /** Creates a key for a user, by default the owner. The key can only be read here. */
  createKey(options: { user?: string; name?: string }): Promise<KeyRecord & { key: string }>;
  listUsers(): Promise<{ username: string; isOwner: boolean; entities: string[] }[]>;
  /** The names of these users, by id; unknown ids are left out. */
  usernames(ids: string[]): Promise<Map<string, string>>;
  /** The keys of a user, or all, in the order of their creation. */
  listKeys(user?: string): Promise<KeyRecord[]>;
  /** Revokes a key. `which` is its id, or its last four characters if only one key ends with them. */
  revokeKey(which: string): Promise<KeyRecord>;
  /** Revokes a key by its id; if a user is given, only one of theirs. */
  revokeKeyById(id: string, user?: string): Promise<KeyRecord>;
};

const activeKeysMax = 200;

export function openAccounts(postgres: Postgres, peers: Peers): Accounts {
  async function revoke(key: KeyRecord): Promise<KeyRecord> {
    const revokedAt = new Date();
    await inTransaction(postgres, async ({ db }) => {
      await db
        .updateTable('api_keys')
        .set({ revoked_at: revokedAt })
        .where('id', '=', key.id)
        .where('revoked_at', 'is', null)
        .execute();
      await endSessionsOfKey({ db }, key.id);
    });
    await peers.notify('keys', key.id);
    return { ...key, revokedAt };
  }

  return {
    async ensureOwner({ name, apiKey }) {
      if (await findOwner(postgres)) return null;
      const username = ownerName(name);
      const key = apiKey === '' ? makeKey() : apiKey;
      return inTransaction(postgres, async (transaction) => {
        await sql`LOCK TABLE ${sql.table('users')} IN SHARE ROW EXCLUSIVE MODE`.execute(transaction.db);
        if (await findOwner(transaction)) return null; // another process was faster
        const { id } = await insertUser(transaction, username, username, true);
        await insertKey(transaction, id, 'first key', key);
        return key;
      });
    },

    async createUser(name, entity) {
      return inTransaction(postgres, async (transaction) => {
        await refuseTakenUser(transaction, name);
        if (entity === undefined) await insertEntity(transaction, name);
        return insertUser(transaction, name, entity ?? name, false);
      });
    },

    async createKey({ user, name = 'key' }) {
      const found = user === undefined ? await findOwner(postgres) : await findUser(postgres, user);
      if (!found) throw notFound(`There is no user ${user ?? 'who owns this server'}.`);
      refuseFaulty('key', name);
      const key = makeKey();
      const { id, createdAt } = await inTransaction(postgres, async (transaction) => {
        await refuseManyKeys(transaction, found);
        return insertKey(transaction, found.id, name, key);
      });
      return { id, user: found.username, name, ending: keyEnding(key), createdAt, revokedAt: null, key };
    },

    async listUsers() {
      const rows = await postgres.db
        .selectFrom('users')
        .leftJoin('memberships', 'memberships.user_id', 'users.id')
        .leftJoin('entities', 'entities.id', 'memberships.entity_id')
        .select(['users.username', 'users.is_owner as isOwner', 'entities.name as entity'])
        .orderBy('users.id')
        .orderBy('entities.name')
        .execute();
      const users = Map.groupBy(rows, (row) => row.username);
      return [...users].map(([username, of]) => ({
        username,
        isOwner: of[0]!.isOwner,
        entities: of.flatMap((row) => row.entity ?? []),
      }));
    },

    async usernames(ids) {
      if (ids.length === 0) return new Map();
      const rows = await postgres.db.selectFrom('users').select(['id', 'username']).where('id', 'in', ids).execute();
      return new Map(rows.map((row) => [row.id, row.username]));
    },

    listKeys: (user) =>
      selectKeys(postgres)
        .$if(user !== undefined, (keys) => keys.where('users.username', '=', user!))
        .orderBy('api_keys.id')
        .execute(),

    async revokeKey(which) {
      return revoke(await findKey(postgres, which));
    },

    async revokeKeyById(id, user) {
      const key = await selectKeys(postgres)
        .where('api_keys.id', '=', id)
        .where('api_keys.revoked_at', 'is', null)
        .$if(user !== undefined, (keys) => keys.where('users.username', '=', user!))
        .executeTakeFirst();
      if (!key) throw notFound(`No active API key has the id ${id.slice(0, 36)}.`);
      return revoke(key);
    },
  };
}

type Store = Pick<Postgres, 'db'>;

export function inTransaction<Result>(
  postgres: Postgres,
  work: (transaction: Store) => Promise<Result>,
): Promise<Result> {
  return postgres.db.transaction().execute((db) => work({ db }));
}

/** @throws Failure if a name is invalid */
export async function insertUser(store: Store, username: string, entity: string, isOwner: boolean) {
  refuseFaulty('user', username);
  refuseFaulty('entity', entity);
  const entityId = await ensureEntity(store, entity);
  const id = newId();
  await store.db.insertInto('users').values({ id, username, is_owner: isOwner, default_entity_id: entityId }).execute();
  await store.db.insertInto('memberships').values({ user_id: id, entity_id: entityId }).execute();
  return { id, username, entity };
}

async function insertKey({ db }: Store, userId: string, name: string, key: string) {
  const row = { id: newId(), user_id: userId, name, hash: hashKey(key), ending: keyEnding(key) };
  return db.insertInto('api_keys').values(row).returning(['id', 'created_at as createdAt']).executeTakeFirstOrThrow();
}

function findOwner({ db }: Store) {
  return db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('is_owner', '=', true)
    .orderBy('id')
    .executeTakeFirst();
}

function findUser({ db }: Store, username: string) {
  return db.selectFrom('users').select(['id', 'username']).where('username', '=', username).executeTakeFirst();
}

function selectKeys({ db }: Store) {
  return db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .select(['api_keys.id', 'users.username as user', 'api_keys.name', 'api_keys.ending'])
    .select(['api_keys.created_at as createdAt', 'api_keys.revoked_at as revokedAt']);
}

async function findKey(store: Store, which: string): Promise<KeyRecord> {
  const found = await selectKeys(store)
    .where('api_keys.revoked_at', 'is', null)
    .where((where) => where.or([where('api_keys.id', '=', which), where('api_keys.ending', '=', which)]))
    .execute();
  if (found.length === 0) throw notFound(`No active API key matches the id or suffix "${which.slice(0, 36)}".`);
  if (found.length > 1)
    throw conflict(`${found.length} keys end in "${which}". Give the id: ${found.map((key) => key.id).join(', ')}`);
  return found[0]!;
}

async function refuseManyKeys({ db }: Store, { id, username }: { id: string; username: string }): Promise<void> {
  await db.selectFrom('users').select('id').where('id', '=', id).forUpdate().execute(); // two requests may find room
  const { keys } = await db
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('keys'))
    .where('user_id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (keys >= activeKeysMax)
    throw conflict(`${username} has ${keys} active API keys, which is the limit. Revoke one first.`);
}

async function refuseTakenUser(store: Store, name: string): Promise<void> {
  if (await findUser(store, name)) throw conflict(`There is a user ${name} already.`);
}

/** A new entity: not one that another request has just created. */
async function insertEntity({ db }: Store, name: string): Promise<void> {
  refuseFaulty('user', name);
  refuseFaulty('entity', name);
  const inserted = await db
    .insertInto('entities')
    .values({ id: newId(), name })
    .onConflict((on) => on.column('name').doNothing())
    .returning('id')
    .execute();
  if (inserted.length === 0)
    throw conflict(`There is an entity ${name} already. To let the new user into it, name it as their entity.`);
}

function refuseFaulty(what: string, name: string): void {
  const fault = nameFault(what, name);
  if (fault) throw invalidInput(fault);
}

/** The owner's name: the requested one, otherwise the system user's. */
export function ownerName(wish: string): string {
  if (wish !== '') return wish;
  try {
    const { username } = userInfo();
    return nameFault('user', username) === null ? username : 'owner';
  } catch {
    return 'owner'; // in a container the process may run under a user id without a name
  }
}
