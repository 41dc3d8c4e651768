import type { QueryFilters } from '@tanstack/react-query';
import { queryClient } from './query-client.ts';

/**
 * Reads again what the user has changed on the server. A first read that is under way may have come before the change, and
 * `invalidateQueries` alone would wait for its answer: it is canceled.
 */
export async function readAgain(filters: QueryFilters): Promise<void> {
  await queryClient.cancelQueries(filters);
  await queryClient.invalidateQueries(filters);
}
