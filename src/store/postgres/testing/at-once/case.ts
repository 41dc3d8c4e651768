import type { ProjectId } from '../../../../contract/ids.ts';
import { Failure } from '../../../../util/failures.ts';
import type { Postgres } from '../../postgres.ts';

/** What a case starts from: a project without anything in it, on a real server. */
export type Start = { postgres: Postgres; projectId: ProjectId };

/** What is run several times at once, by the file and the function that begins the transaction. */
export type Cases = Record<string, (start: Start) => Promise<void>>;

export const writers = Array.from({ length: 8 }, (_, index) => index);

/** All at once. */
export function each<Value>(work: (index: number) => Promise<Value>): Promise<Value[]> {
  return Promise.all(writers.map(work));
}

/** All at once, where some may be refused: the values, and the kinds of the refusals. Any other error is thrown. */
export async function eachOrRefused<Value>(
  work: (index: number) => Promise<Value>,
): Promise<{ values: Value[]; refusals: string[] }> {
  const ended = await Promise.allSettled(writers.map(work));
  return {
    values: ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    refusals: ended.flatMap((each) => {
      if (each.status === 'fulfilled') return [];
      if (each.reason instanceof Failure) return [each.reason.kind];
      throw each.reason;
    }),
  };
}
