import { queryOptions } from '@tanstack/react-query';
import { ask, RequestError } from './client.ts';
import type { AnswerOf } from './contract.ts';
import { queryClient } from './query-client.ts';

export type Session = AnswerOf<'GET /session'>;

/** Who is signed in; null if nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session | null> => {
    try {
      return await ask('GET /session', {});
    } catch (error) {
      if (error instanceof RequestError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** @throws RequestError 401 if the key or the link is not valid */
export async function signIn(by: { apiKey: string } | { linkToken: string }): Promise<void> {
  const body = 'apiKey' in by ? { api_key: by.apiKey } : { link_token: by.linkToken };
  const session = await ask('POST /session', { body });
  showSession(session);
}

export async function signOut(): Promise<void> {
  await ask('DELETE /session', {});
  showSession(null);
}

/** Nothing that one user has read is shown to the next. */
function showSession(session: Session | null): void {
  queryClient.setQueryData(sessionQuery.queryKey, session);
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
}

/** What was wrong with the sign-in link that the page was opened with; null if there was none. */
export const linkErrorQuery = queryOptions({
  queryKey: ['sign-in-link-error'],
  queryFn: (): string | null => null,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Signs in with the token in the address, if the page was opened with a sign-in link, and removes it from the address. */
export async function signInByAddress(): Promise<void> {
  const { pathname, hash } = location;
  if (pathname !== '/sign-in' || hash.length < 2) return;
  history.replaceState(null, '', '/');
  try {
    await signIn({ linkToken: hash.slice(1) });
  } catch (error) {
    queryClient.setQueryData(linkErrorQuery.queryKey, error instanceof Error ? error.message : String(error));
  }
}
