import { openTurnQueue } from './turn-queue.ts';

/** How long a piece of work may block everything else. */
const turnMs = 10;

/** All loops of the process share it: ten requests that each take a turn in the same round would block it for 100 ms. */
const queue = openTurnQueue();

/** For a piece of work that takes some milliseconds. */
export const nextTurn = queue.next;

/**
 * For loops over a client's input, which may be long: resolves immediately while the turn lasts, otherwise after all
 * other pending work has run. `const turn = openTurn(); for (…) { if (turn.isOver()) await turn.next(); … }`
 */
export function openTurn(): Turn {
  let endsAt = performance.now() + turnMs;
  return {
    isOver: () => performance.now() >= endsAt,
    async next() {
      await nextTurn();
      endsAt = performance.now() + turnMs;
    },
  };
}

export type Turn = { isOver(): boolean; next(): Promise<void> };

/** Maps, yielding between turns. */
export async function mapInTurns<In, Out>(items: Iterable<In>, map: (item: In) => Out): Promise<Out[]> {
  const turn = openTurn();
  const mapped: Out[] = [];
  for (const item of items) {
    if (turn.isOver()) await turn.next();
    mapped.push(map(item));
  }
  return mapped;
}

/** The distinct strings, in order. */
export async function distinctInTurns(strings: Iterable<string>): Promise<string[]> {
  const known = new Set<string>();
  await mapInTurns(strings, (each) => {
    known.add(each);
  });
  return [...known];
}
