import { type Failure, unacceptable } from '../../../util/failures.ts';
import { InsertRefused } from '../store-error.ts';

/**
 * Inserts a batch that many writers share. If it is rejected because of its rows, it is tried again in halves, down to
 * the invalid units, so that all others are stored. This may send rows twice: their tables keep one of equal keys and
 * versions.
 * A failure of the store itself, such as a full disk, is not retried: everything that is left fails with it.
 * @returns the units that are not stored, each with its error.
 */
export async function insertApart<Unit>(
  units: Unit[],
  insert: (units: Unit[]) => Promise<void>,
): Promise<Map<Unit, Error>> {
  const failures = new Map<Unit, Error>();
  const waiting = units.length > 0 ? [units] : [];
  while (waiting.length > 0) {
    const part = waiting.pop()!;
    try {
      await insert(part);
    } catch (error) {
      if (!(error instanceof InsertRefused)) {
        for (const unit of [part, ...waiting].flat()) failures.set(unit, error as Error);
        break;
      }
      if (part.length === 1) failures.set(part[0]!, refusal(error));
      else {
        const half = Math.ceil(part.length / 2);
        waiting.push(part.slice(half), part.slice(0, half));
      }
    }
  }
  return failures;
}

/** The error for the writer of a rejected row. */
function refusal({ codeName, code }: InsertRefused): Failure {
  return unacceptable(`The store cannot hold a value of this item: ${codeName} (${code})`);
}
