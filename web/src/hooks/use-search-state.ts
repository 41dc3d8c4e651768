import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** The query of the address: texts, by name. */
export type Search = Record<string, string | undefined>;

/**
 * The state of a page that is kept in its address, so that links and reloads bring it back. `change` merges; undefined and
 * empty texts remove a name. `replace` adds no step to the browser's history: use it while the user types.
 */
export function useSearchState(): [Search, (change: Search, options?: { replace?: boolean }) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Search, { replace = false } = {}) => {
      void navigate({
        to: '.',
        search: ((before: Search) => withoutEmpty({ ...before, ...changes })) as never, // names differ by page
        replace,
      });
    },
    [navigate],
  );
  return [search, change];
}

function withoutEmpty(search: Search): Search {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''));
}

/** Texts stay texts: the router would otherwise read `view=123` as a number. */
export function parseSearch(query: string): Search {
  return Object.fromEntries(new URLSearchParams(query));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const present = Object.entries(search).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
