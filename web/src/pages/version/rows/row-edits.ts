import type { RowChange } from '../../../api/datasets.ts';
import { formatCount } from '../../../format/numbers.ts';

type Row = Record<string, unknown>;

/** Changes of a table that are not published yet; rows of the table are named by their place in it. */
export type RowEdits = {
  changed: ReadonlyMap<number, Row>;
  deleted: ReadonlySet<number>;
  added: readonly Row[];
};

export const noEdits: RowEdits = { changed: new Map(), deleted: new Set(), added: [] };

export function hasEdits({ changed, deleted, added }: RowEdits): boolean {
  return changed.size + deleted.size + added.length > 0;
}

export function withChanged(edits: RowEdits, place: number, row: Row): RowEdits {
  return { ...edits, changed: new Map([...edits.changed, [place, row]]) };
}

/** Deletes a row, or brings a deleted one back. */
export function withToggled(edits: RowEdits, place: number): RowEdits {
  const deleted = new Set(edits.deleted);
  if (!deleted.delete(place)) deleted.add(place);
  return { ...edits, deleted };
}

export function withAdded(edits: RowEdits, row: Row): RowEdits {
  return { ...edits, added: [...edits.added, row] };
}

/** Replaces an added row; without a row, removes it. */
export function withAddedAt(edits: RowEdits, index: number, row: Row | null): RowEdits {
  return { ...edits, added: edits.added.flatMap((each, at) => (at !== index ? [each] : row === null ? [] : [row])) };
}

/** The steps from the table to the next one. They begin at its end, so that places in front of them stay the same. */
export function stepsOf({ changed, deleted, added }: RowEdits): RowChange[] {
  const places = [...new Set([...changed.keys(), ...deleted])].sort((a, b) => b - a);
  const steps = places.flatMap((index): RowChange[] => {
    const row = changed.get(index);
    return deleted.has(index) || row === undefined
      ? [{ pop: { index } }]
      : [{ pop: { index } }, { insert: { index, row } }];
  });
  return [...steps, ...added.map((row): RowChange => ({ append: { row } }))];
}

/** `2 changed, 1 deleted`. */
export function editsSummary({ changed, deleted, added }: RowEdits): string {
  const kept = [...changed.keys()].filter((place) => !deleted.has(place)).length;
  const counts = { changed: kept, deleted: deleted.size, added: added.length };
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return parts.map(([word, count]) => `${formatCount(count)} ${word}`).join(', ') || 'No changes yet';
}
