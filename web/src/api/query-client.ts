import { QueryCache, QueryClient } from '@tanstack/react-query';
import { RequestError } from './client.ts';

/** All state of the server that pages show. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: askForSession }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && isTemporary(error),
      retryDelay: (attempt) => 500 * 2 ** attempt,
      refetchOnWindowFocus: true,
    },
  },
});

/** A session can end while a page is open: the form for the key is shown then. */
function askForSession(error: Error): void {
  if (error instanceof RequestError && error.status === 401)
    void queryClient.invalidateQueries({ queryKey: ['session'] });
}

/** Whether the same request may succeed soon: the server restarts or is busy. */
function isTemporary(error: unknown): boolean {
  return error instanceof RequestError && (error.status === 0 || error.status === 429 || error.status >= 502);
}
