import { type GroupKey, sharedUsers } from './group-keys.ts';

type Side = { groups: number; rows: number };

export type Split = {
  /** Whether each row is held out. */
  isHeldOut: boolean[];
  training: Side;
  heldOut: Side;
};

/**
 * Splits rows so that no trace, thread or user is on both sides: rows that share one are connected, and a group of connected rows is
 * held out as a whole. Groups are taken in the order of `draw` until the share of rows is reached, and one that would exceed it by more than is
 * missing is passed over.
 * @param rows the keys of each row; a row without keys is a group of its own
 * @param draw a number for each group, which chooses it
 */
export function splitGroups(
  rows: readonly (readonly GroupKey[])[],
  share: number,
  draw: (group: number) => number,
): Split {
  const groups = connectedGroups(rows);
  const isHeldOut = rows.map(() => false);
  const wanted =
    share === 0 || rows.length < 2 ? 0 : Math.min(Math.max(Math.round(share * rows.length), 1), rows.length - 1);
  const order = groups.map((group, index) => ({ group, drawn: draw(index) })).sort((a, b) => a.drawn - b.drawn);
  const heldOut: Side = { groups: 0, rows: 0 };
  for (const { group } of order) {
    const missing = wanted - heldOut.rows;
    if (missing <= 0) break;
    const isTooLarge = group.length - missing > missing || heldOut.rows + group.length === rows.length;
    if (isTooLarge) continue;
    for (const row of group) isHeldOut[row] = true;
    heldOut.groups++;
    heldOut.rows += group.length;
  }
  return {
    isHeldOut,
    heldOut,
    training: { groups: groups.length - heldOut.groups, rows: rows.length - heldOut.rows },
  };
}

/** The indexes of rows that are connected by their keys, in the order of their first rows. */
export function connectedGroups(rows: readonly (readonly GroupKey[])[]): number[][] {
  const shared = sharedUsers(rows);
  const parents = Uint32Array.from(rows, (_, row) => row);
  const rowOfKey = new Map<GroupKey, number>();
  for (const [row, keys] of rows.entries()) {
    for (const key of keys) {
      if (shared.has(key)) continue;
      const other = rowOfKey.get(key);
      if (other === undefined) rowOfKey.set(key, row);
      else join(parents, row, other);
    }
  }
  return [...Map.groupBy(rows.keys(), (row) => rootOf(parents, row)).values()];
}

function join(parents: Uint32Array, a: number, b: number): void {
  const [rootA, rootB] = [rootOf(parents, a), rootOf(parents, b)];
  parents[Math.max(rootA, rootB)] = Math.min(rootA, rootB);
}

/** Halves the path on the way. */
function rootOf(parents: Uint32Array, row: number): number {
  let at = row;
  while (parents[at] !== at) {
    parents[at] = parents[parents[at]!]!;
    at = parents[at]!;
  }
  return at;
}
