import type { TableRow } from '../../../api/objects.ts';
import type { TableColumn } from '../../../components/DataTable.tsx';
import { recordOf } from '../../../format/json.ts';
import { formatCount } from '../../../format/numbers.ts';
import { previewOf } from '../../../format/preview.ts';
import { Badge } from '../../../ui/Badge.tsx';
import styles from './Rows.module.css';
import type { RowEdits } from './row-edits.ts';

/** A row with its edits. `added` is its place among the added rows. */
type ShownRow = {
  key: string;
  place: number;
  val: unknown;
  state: 'same' | 'changed' | 'deleted' | 'added';
  added?: number;
};

/** The rows that are loaded, with their edits; behind the last one, those that were added. */
export function shownRows(loaded: TableRow[], hasMore: boolean, count: number, edits: RowEdits | null): ShownRow[] {
  const rows = loaded.map((row, index): ShownRow => {
    const place = row.original_index ?? index;
    const changed = edits?.changed.get(place);
    const state = edits?.deleted.has(place) ? 'deleted' : changed ? 'changed' : 'same';
    return { key: String(place), place, val: changed ?? row.val, state };
  });
  const added = (edits?.added ?? []).map((val, index): ShownRow => {
    return { key: `new ${index}`, place: count + index, val, state: 'added', added: index };
  });
  return hasMore ? [...added, ...rows] : [...rows, ...added];
}

const fieldsMax = 50;

/** The names of the fields of the first rows, in the order in which they appear. */
export function fieldsOf(rows: TableRow[]): string[] {
  return [...new Set(rows.flatMap(({ val }) => Object.keys(recordOf(val))))].slice(0, fieldsMax);
}

export function rowColumns(fields: string[]): TableColumn<ShownRow>[] {
  const shown = fields.length === 0 ? [null] : fields;
  return [
    { id: '#', title: '#', width: 96, align: 'end', cell: ({ place, state }) => <Place place={place} state={state} /> },
    ...shown.map(
      (name): TableColumn<ShownRow> => ({
        id: name === null ? 'value' : `field ${name}`,
        title: name ?? 'Value',
        width: name === null ? 400 : 200,
        cell: ({ val, state }) => (
          <span className={state === 'deleted' ? styles.deleted : undefined}>
            {previewOf(name === null ? val : memberOf(recordOf(val), name))}
          </span>
        ),
      }),
    ),
  ];
}

/** Rows may have a column such as `constructor`, which all objects inherit. */
function memberOf(record: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

const tones = { changed: 'warning', deleted: 'error', added: 'success' } as const;

function Place({ place, state }: Pick<ShownRow, 'place' | 'state'>) {
  return state === 'same' ? formatCount(place + 1) : <Badge tone={tones[state]}>{state}</Badge>;
}
