import { openInTurn } from './in-turn.ts';

/** Adds items to the next pass. Resolves with what the pass results in, and rejects if it fails. */
export type Passes<Item, Result> = (items: Iterable<Item>) => Promise<Result>;

/**
 * Work on items that costs about the same for many as for few, such as a lookup in a store. One pass runs at a time; calls that
 * arrive meanwhile share the next one. So each pass sees what was done before the calls, and an idle process waits for nothing.
 */
export function openPasses<Item, Result>(work: (items: Item[]) => Promise<Result>): Passes<Item, Result> {
  const inTurn = openInTurn();
  let next: { items: Item[]; done: Promise<Result> } | null = null;
  return (items) => {
    if (next === null) {
      const pass: Item[] = [];
      const done = inTurn(() => {
        next = null;
        return work(pass);
      });
      next = { items: pass, done };
    }
    for (const item of items) next.items.push(item);
    return next.done;
  };
}
