import { invalidInput } from '../../util/failures.ts';

/** Which part of a list is asked for; null where there is no bound. */
export type Page = { limit: number | null; offset: number | null };

/** @param requirement in the words that clients of a list know. @throws Failure for a limit or an offset below 0. */
export function checkPage({ limit, offset }: Page, requirement = 'non-negative'): void {
  if (limit !== null && limit < 0) throw invalidInput(`Limit must be ${requirement}`);
  if (offset !== null && offset < 0) throw invalidInput(`Offset must be ${requirement}`);
}
