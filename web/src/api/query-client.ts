import { QueryClient } from '@tanstack/react-query';
import { RequestError } from './client.ts';

/** All state of the server that pages show. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && isTemporary(error),
      retryDelay: (attempt) => 500 * 2 ** attempt,
      refetchOnWindowFocus: true,
    },
  },
});

/** Whether the same request may succeed soon: the server restarts or is busy. */
function isTemporary(error: unknown): boolean {
  return error instanceof RequestError && (error.status === 0 || error.status === 429 || error.status >= 502);
}
