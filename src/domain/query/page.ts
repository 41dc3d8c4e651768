import { invalidInput } from '../../util/failures.ts';

/** The requested part of a list; null means unbounded. */
export type Page = { limit: number | null; offset: number | null };

/**
 * @param requirement in the wording that clients of this list expect. @throws Failure for a negative limit or offset.
 */
export function checkPage({ limit, offset }: Page, requirement = 'non-negative'): void {
  if (limit !== null && limit < 0) throw invalidInput(`Limit must be ${requirement}`);
  if (offset !== null && offset < 0) throw invalidInput(`Offset must be ${requirement}`);
}
