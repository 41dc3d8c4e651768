import { LRUCache } from 'lru-cache';
import { hashKey, makeKey } from './keys.ts';

/** How long a sign-in link works. */
export const linkMinutes = 30;
const linkMs = linkMinutes * 60_000;

/** One-time tokens that sign a user in. They are kept in memory: a restart of the server invalidates them. */
export function openSignInLinks(now: () => number) {
  const links = new LRUCache<string, { userId: string; expiresAt: number }>({ max: 1000 });
  return {
    make(userId: string): string {
      const token = makeKey();
      links.set(hashKey(token), { userId, expiresAt: now() + linkMs });
      return token;
    },
    /** The user of a valid token, which becomes invalid; null for all others. */
    consume(token: string): string | null {
      const hash = hashKey(token);
      const link = links.get(hash);
      if (!link) return null;
      links.delete(hash);
      return link.expiresAt > now() ? link.userId : null;
    },
  };
}
