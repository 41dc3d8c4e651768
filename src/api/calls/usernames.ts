import type { Context } from '../../context.ts';

/** Looks up the names of users, each once; finds none when names are not wanted. */
export function openUsernames({ identity }: Pick<Context, 'identity'>, areWanted: boolean) {
  const known = new Map<string, string>();
  return async (userIds: string[]): Promise<Map<string, string>> => {
    if (!areWanted) return known;
    const missing = [...new Set(userIds)].filter((id) => id !== '' && !known.has(id));
    for (const [id, name] of await identity.usernames(missing)) known.set(id, name);
    return known;
  };
}
