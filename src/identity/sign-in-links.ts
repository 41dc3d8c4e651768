import type { Postgres } from '../store/postgres/postgres.ts';
import { hashKey, makeKey } from './keys.ts';

/** How long a sign-in link works. */
export const linkMinutes = 30;
const linkMs = linkMinutes * 60_000;

/** One-time tokens that sign a user in. */
export function openSignInLinks({ db }: Pick<Postgres, 'db'>, now: () => number) {
  return {
    async make(userId: string): Promise<string> {
      const token = makeKey();
      await db.deleteFrom('sign_in_links').where('expires_at', '<=', new Date(now())).execute();
      const row = { hash: hashKey(token), user_id: userId, expires_at: new Date(now() + linkMs) };
      await db.insertInto('sign_in_links').values(row).execute();
      return token;
    },
    /** The user of a valid token, which becomes invalid; null for all others. */
    async consume(token: string): Promise<string | null> {
      const used = db
        .deleteFrom('sign_in_links')
        .where('hash', '=', hashKey(token))
        .returning(['user_id', 'expires_at']);
      const link = await used.executeTakeFirst();
      return link && link.expires_at.getTime() > now() ? link.user_id : null;
    },
  };
}
