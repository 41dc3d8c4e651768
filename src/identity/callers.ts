import type { UserId } from '../contract/ids.ts';
import { openKept } from '../store/peers/kept.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { hashKey, isKeyShaped } from './keys.ts';

/** Who sends a request. */
export type Caller = { userId: UserId; username: string; isOwner: boolean; defaultEntity: string };

/** The headers in which the clients send their key. */
type KeyHeaders = {
  authorization?: string | undefined;
  'wandb-api-key'?: string | string[] | undefined;
  'x-api-key'?: string | string[] | undefined;
};

export type Callers = {
  /** The caller whose key is in the headers; null if they contain no valid key. */
  authenticate(headers: KeyHeaders): Promise<Caller | null>;
  /** A user as a caller, for background work on the user's behalf; null if the user does not exist. */
  findCaller(userId: string): Promise<Caller | null>;
  /** A user by name. */
  findUser(username: string): Promise<Caller | null>;
  /** The owner of the server; null before the first start. */
  findOwner(): Promise<Caller | null>;
};

export function openCallers(postgres: Postgres, peers: Peers): Callers {
  const known = openKept<Caller>(peers, ['keys', 'memberships'], 10_000);

  return {
    async authenticate(headers) {
      for (const key of keysOf(headers)) {
        const hash = hashKey(key);
        const caller = await known.getOrRead(hash, () => readCaller(postgres, hash));
        if (caller) return caller;
      }
      return null;
    },
    findCaller: (userId) => readUser(postgres, userId),
    async findUser(username) {
      const row = await selectCallers(postgres).where('users.username', '=', username).executeTakeFirst();
      return row ? toCaller(row) : null;
    },
    async findOwner() {
      const row = await selectCallers(postgres)
        .where('users.is_owner', '=', true)
        .orderBy('users.id')
        .executeTakeFirst();
      return row ? toCaller(row) : null;
    },
  };
}

/** Clients of the Tinker API accept only keys that begin with this. */
const tinkerPrefix = /^tml-/;

/**
 * Keys are sent as `Bearer KEY`, as the password of Basic under any user name, or alone in `wandb-api-key` or `x-api-key`. Any of
 * them may begin with `tml-`.
 */
function keysOf(headers: KeyHeaders): string[] {
  const [, scheme = '', credentials = ''] = /^(\w+) +(.+)$/.exec(headers.authorization?.trim() ?? '') ?? [];
  const found = [headers['wandb-api-key'], headers['x-api-key']].flat();
  if (scheme.toLowerCase() === 'bearer') found.unshift(credentials);
  if (scheme.toLowerCase() === 'basic') {
    const pair = Buffer.from(credentials, 'base64').toString();
    found.unshift(pair.slice(pair.indexOf(':') + 1));
  }
  return found
    .filter((key) => key !== undefined)
    .map((key) => key.trim().replace(tinkerPrefix, ''))
    .filter(isKeyShaped);
}

async function readCaller(postgres: Postgres, hash: string): Promise<Caller | null> {
  const row = await selectCallers(postgres)
    .innerJoin('api_keys', 'api_keys.user_id', 'users.id')
    .where('api_keys.hash', '=', hash)
    .where('api_keys.revoked_at', 'is', null)
    .executeTakeFirst();
  return row ? toCaller(row) : null;
}

async function readUser(postgres: Postgres, userId: string): Promise<Caller | null> {
  const row = await selectCallers(postgres).where('users.id', '=', userId).executeTakeFirst();
  return row ? toCaller(row) : null;
}

export function selectCallers({ db }: Postgres) {
  return db
    .selectFrom('users')
    .innerJoin('entities', 'entities.id', 'users.default_entity_id')
    .select(['users.id', 'users.username', 'users.is_owner', 'entities.name as entity']);
}

export function toCaller(row: { id: string; username: string; is_owner: boolean; entity: string }): Caller {
  return { userId: row.id as UserId, username: row.username, isOwner: row.is_owner, defaultEntity: row.entity };
}
