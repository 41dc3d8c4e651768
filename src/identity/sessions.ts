import { openKept } from '../store/peers/kept.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { type Caller, selectCallers, toCaller } from './callers.ts';
import { hashKey, isKeyShaped, makeKey } from './keys.ts';
import { openSignInLinks } from './sign-in-links.ts';

export type Session = { token: string; caller: Caller; expiresAt: Date };

/** Sign-ins of the web page. Its cookie holds the token of a session, never an API key. */
export type Sessions = {
  /** Starts a session for the user of an API key; null if the key is not active. */
  signInWithKey(key: string): Promise<Session | null>;
  /** A one-time token that signs a user in within `linkMinutes`. */
  makeSignInLink(userId: string): Promise<string>;
  /** Starts a session with such a token, and invalidates it; null if it is unknown, used or expired. */
  signInWithLink(token: string): Promise<Session | null>;
  /** The user who is signed in with this token; null if the session has ended. */
  callerOfSession(token: string): Promise<Caller | null>;
  endSession(token: string): Promise<void>;
};

const sessionDays = 30;
/** Beyond this number, a new session of a user ends the oldest one. */
const sessionsPerUserMax = 50;

export function openSessions(postgres: Postgres, peers: Peers, now = Date.now): Sessions {
  const links = openSignInLinks(postgres, now);
  const topics = ['keys', 'sessions', 'memberships'] as const;
  const known = openKept<{ caller: Caller; expiresAt: number }>(peers, topics, 10_000);

  /** @returns null if the key has just been revoked */
  async function start(caller: Caller, keyId: string | null): Promise<Session | null> {
    const token = makeKey();
    const expiresAt = new Date(now() + sessionDays * 86_400_000);
    const row = { hash: hashKey(token), user_id: caller.userId, key_id: keyId, expires_at: expiresAt };
    const isStarted = await postgres.db.transaction().execute(async (db) => {
      if (keyId !== null && !(await lockActiveKey({ db }, keyId))) return false;
      await db.insertInto('sessions').values(row).execute();
      return true;
    });
    if (!isStarted) return null;
    await deleteOldSessions(postgres, caller.userId, new Date(now()));
    await peers.notify('sessions', caller.userId); // of sessions that were deleted just now
    return { token, caller, expiresAt };
  }

  return {
    async signInWithKey(key) {
      const found = isKeyShaped(key) ? await findKeyOfUser(postgres, key) : null;
      return found && start(found.caller, found.keyId);
    },
    makeSignInLink: (userId) => links.make(userId),
    async signInWithLink(token) {
      const userId = isKeyShaped(token) ? await links.consume(token) : null;
      const row = userId && (await selectCallers(postgres).where('users.id', '=', userId).executeTakeFirst());
      return row ? start(toCaller(row), null) : null;
    },
    async callerOfSession(token) {
      if (!isKeyShaped(token)) return null;
      const hash = hashKey(token);
      const found = await known.getOrRead(hash, () => findSession(postgres, hash));
      return found && found.expiresAt > now() ? found.caller : null;
    },
    async endSession(token) {
      const ended = postgres.db.deleteFrom('sessions').where('hash', '=', hashKey(token)).returning('user_id');
      for (const { user_id: userId } of await ended.execute()) await peers.notify('sessions', userId);
    },
  };
}

/**
 * Ends the sessions of a key that is revoked. Sign-in links, and sessions that began with one, have no key of their own: they end
 * with any key of their user, so that revoking a key locks out whoever may have used either.
 */
export async function endSessionsOfKey({ db }: Pick<Postgres, 'db'>, keyId: string): Promise<void> {
  const user = db.selectFrom('api_keys').select('user_id').where('id', '=', keyId);
  await db.deleteFrom('sign_in_links').where('user_id', 'in', user).execute();
  await db
    .deleteFrom('sessions')
    .where(({ eb, and, or }) =>
      or([eb('key_id', '=', keyId), and([eb('key_id', 'is', null), eb('user_id', 'in', user)])]),
    )
    .execute();
}

/** Makes a revocation wait for the transaction, so that it ends the session that is started in it. */
async function lockActiveKey({ db }: Pick<Postgres, 'db'>, keyId: string): Promise<boolean> {
  const rows = await db
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .forShare()
    .execute();
  return rows.length > 0;
}

async function findKeyOfUser(postgres: Postgres, key: string) {
  const row = await selectCallers(postgres)
    .innerJoin('api_keys', 'api_keys.user_id', 'users.id')
    .select('api_keys.id as keyId')
    .where('api_keys.hash', '=', hashKey(key))
    .where('api_keys.revoked_at', 'is', null)
    .executeTakeFirst();
  return row ? { caller: toCaller(row), keyId: row.keyId } : null;
}

async function findSession(postgres: Postgres, hash: string) {
  const row = await selectCallers(postgres)
    .innerJoin('sessions', 'sessions.user_id', 'users.id')
    .select('sessions.expires_at as expiresAt')
    .where('sessions.hash', '=', hash)
    .executeTakeFirst();
  return row ? { caller: toCaller(row), expiresAt: row.expiresAt.getTime() } : null;
}

/** Deletes expired sessions of all users, and the oldest ones of a user who has too many. */
async function deleteOldSessions({ db }: Postgres, userId: string, time: Date): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', time).execute();
  const newest = db
    .selectFrom('sessions')
    .select('hash')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .limit(sessionsPerUserMax);
  await db.deleteFrom('sessions').where('user_id', '=', userId).where('hash', 'not in', newest).execute();
}
