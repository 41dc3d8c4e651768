import type { currentScope } from '../../../util/request-scope.ts';
import { openLanes } from './lanes.ts';
import { limitError, wasKilled } from './query-budget.ts';
import type { ReadLimits } from './read-limits.ts';
import type { StartedRead } from './reads.ts';

type Scope = NonNullable<ReturnType<typeof currentScope>>;

/** Runs the reads of requests in the lanes. @throws Failure if a read exceeds its budget */
export function openLimitedReads({ budget, lanes: laneLimits }: ReadLimits) {
  const lanes = openLanes(laneLimits, wasKilled);
  return async <Answer>(sql: string, start: () => StartedRead<Answer>, { group, signal }: Scope): Promise<Answer> => {
    try {
      return await lanes.run<Answer>({ group, signal, bytes: sql.length, start });
    } catch (error) {
      throw limitError(error, budget) ?? error;
    }
  };
}
