import { busy, type Failure, invalidInput, unacceptable } from '../../../util/failures.ts';
import { humanBytes } from '../../../util/human-bytes.ts';
import { soughtIsTooLong } from '../query/query-sql.ts';
import { StoreError } from '../store-error.ts';

/** What one statement may use. A statement that exceeds it fails with a message that names the limit. */
export type QueryBudget = {
  timeMs: number;
  /** Uncompressed bytes read from tables. */
  bytesRead: number;
  memoryBytes: number;
  threads: number;
};

const gigabyte = 1024 ** 3;

/** For the server's own reads. */
export const internalBudget: QueryBudget = {
  timeMs: 600_000,
  bytesRead: 2 ** 50,
  memoryBytes: 2 * gigabyte,
  threads: 4,
};

/** A result of the store is parsed and sent as a whole; reads of many rows use pages. */
const resultBytesMax = 256 * 1024 * 1024;

/** Statements contain their values as literals, such as the digests of all rows in a table query. */
const sqlBytesMax = 256 * 1024 * 1024;

/** The settings that limit a statement to a budget. Sorting and grouping use the disk from half of the memory on. */
export function budgetSettings({ timeMs, bytesRead, memoryBytes, threads }: QueryBudget): Record<string, number> {
  return {
    max_execution_time: timeMs / 1000,
    max_bytes_to_read: bytesRead,
    max_memory_usage: memoryBytes,
    max_bytes_before_external_sort: Math.floor(memoryBytes / 2),
    max_bytes_before_external_group_by: Math.floor(memoryBytes / 2),
    max_threads: threads,
    max_result_bytes: resultBytesMax,
    max_query_size: sqlBytesMax,
    output_format_parallel_formatting: 0, // three more threads for each statement, which on a busy machine all wait their turn
  };
}

/** Whether a statement was stopped by KILL QUERY. */
export function wasKilled(error: unknown): boolean {
  return error instanceof StoreError && error.code === 394; // QUERY_WAS_CANCELLED
}

/** The error for a statement that exceeded a limit; null for any other error. */
export function limitError(error: unknown, budget: QueryBudget): Failure | null {
  if (!(error instanceof StoreError)) return null;
  switch (error.code) {
    case 159: // TIMEOUT_EXCEEDED
      return tooExpensive(`runs longer than ${budget.timeMs} ms (HEDDLE_QUERY_TIME_MAX_MS)`, error);
    case 307: // TOO_MANY_BYTES
      return tooExpensive(`reads more than ${humanBytes(budget.bytesRead)} (HEDDLE_QUERY_READ_MAX_BYTES)`, error);
    case 241: // MEMORY_LIMIT_EXCEEDED
      return error.exceeds === 'memory of all statements'
        ? busy('The store has no memory for this query at the moment. Try again later.', error)
        : tooExpensive(
            `needs more than ${humanBytes(budget.memoryBytes)} of memory (HEDDLE_QUERY_MEMORY_MAX_BYTES)`,
            error,
          );
    case 396: // TOO_MANY_ROWS_OR_BYTES
      return tooExpensive(`has an answer of more than ${humanBytes(resultBytesMax)}`, error);
    case 395: // FUNCTION_THROW_IF_VALUE_IS_NON_ZERO, which no other statement calls
      return invalidInput(`${soughtIsTooLong}.`);
    case 62: // SYNTAX_ERROR, which is also what max_query_size gives
    case 167: // TOO_DEEP_AST
    case 168: // TOO_BIG_AST
    case 306: // TOO_DEEP_RECURSION
      return error.code !== 62 || error.exceeds === 'complexity'
        ? invalidInput('This query is too complex: use fewer or simpler conditions.')
        : null;
    default:
      return null;
  }
}

function tooExpensive(what: string, cause: unknown): Failure {
  const advice = 'Narrow it: ask for a shorter time, add a filter, or set a smaller limit.';
  return unacceptable(`This query ${what}. ${advice}`, cause);
}
