import { createHash } from 'node:crypto';

/**
 * The order in which a plan's threads are answered: random, so that those looked at are a sample of the suite, and fixed by the seed of
 * the plan, so that it can be checked. Threads are sorted by a hash of the seed and their id.
 */
export function threadOrder<Id extends string>(threads: readonly Id[], seed: string): Id[] {
  const keys = new Map(
    threads.map((id) => [
      id,
      createHash('sha256')
        .update(JSON.stringify([seed, id]))
        .digest('hex'),
    ]),
  );
  return [...threads].sort((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1));
}
