import {
  type ColumnDef,
  columnResizingFeature,
  columnSizingFeature,
  type Header,
  type Row,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useStoredState } from '../hooks/use-stored-state.ts';
import { Icon } from '../ui/Icon.tsx';
import styles from './DataTable.module.css';

export type TableColumn<Item> = {
  id: string;
  title: ReactNode;
  /** In pixels; the user can change it, and the browser remembers. */
  width?: number;
  align?: 'start' | 'end';
  isSortable?: boolean;
  cell: (item: Item) => ReactNode;
  /** The condition that the value of the cell meets: it can then be filtered by. */
  filterOf?: (item: Item) => string | null;
};

type TableSort = { column: string; isDescending: boolean };

type DataTableProps<Item> = {
  /** Read out as the name of the table, and under which its column widths are remembered. */
  label: string;
  columns: TableColumn<Item>[];
  items: Item[];
  keyOf: (item: Item) => string;
  /** The item that is open beside the table. */
  activeKey?: string | undefined;
  onOpen?: (item: Item) => void;
  /** Adds a condition of a cell to the filter. */
  onFilter?: (condition: string) => void;
  sort?: TableSort | null;
  onSort?: (sort: TableSort) => void;
  /** Adds a column of check boxes. */
  selected?: ReadonlySet<string>;
  onSelect?: (selected: Set<string>) => void;
  /** Called when the end of the items comes into view. */
  onEndReached?: () => void;
  /** Shown below the last row, such as how many there are. */
  footer?: ReactNode;
  /** Shown instead of rows. */
  empty?: ReactNode;
  /** Whether other rows are on their way. */
  isStale?: boolean;
};

const rowHeight = 32;
const features = tableFeatures({ columnSizingFeature, columnResizingFeature });
type Features = typeof features;

/**
 * A table of any length: only the visible rows are in the document. Columns can be resized. Arrow keys or `j` and `k` move
 * between rows, Enter opens one, Space selects it.
 */
export function DataTable<Item>(props: DataTableProps<Item>) {
  const { label, columns, items, keyOf, activeKey, onEndReached, selected, onSelect } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [sizing, setSizing] = useStoredState<Record<string, number>>(`columns.${label}`, {});
  const definitions = useMemo(
    () =>
      columns.map(
        ({ id, title, width = 140, cell }): ColumnDef<Features, { item: Item }> => ({
          ...{ id, header: () => title, size: width, minSize: 48 },
          cell: ({ row }) => cell(row.original.item),
        }),
      ),
    [columns],
  );
  const data = useMemo(() => items.map((item) => ({ item })), [items]);
  const table = useTable({
    features,
    columns: definitions,
    data,
    getRowId: ({ item }) => keyOf(item),
    columnResizeMode: 'onChange',
    state: { columnSizing: sizing },
    onColumnSizingChange: (updater) => setSizing(typeof updater === 'function' ? updater(sizing) : updater),
  });
  const { rows } = table.getRowModel();
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const visible = virtualizer.getVirtualItems();
  const lastVisible = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && lastVisible >= rows.length - 20) onEndReached?.();
  }, [lastVisible, rows.length, onEndReached]);

  const headers = table.getHeaderGroups()[0]?.headers ?? [];
  const template = `${selected ? '34px ' : ''}${headers
    .map((header, index) =>
      index === headers.length - 1 ? `minmax(${header.getSize()}px, 1fr)` : `${header.getSize()}px`,
    )
    .join(' ')}`;
  const width = table.getTotalSize() + (selected ? 34 : 0);
  const allAreSelected = selected !== undefined && rows.length > 0 && rows.every((row) => selected.has(row.id));

  return (
    <div className={styles.scroller} ref={scroller}>
      {/* biome-ignore lint/a11y/useSemanticElements: rows of a table element cannot be positioned freely */}
      <div
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-busy={props.isStale}
        className={styles.table}
        style={{ minWidth: width }}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div
          role="row"
          className={`${styles.row} ${styles.head}`}
          style={{ gridTemplateColumns: template }}
          tabIndex={-1}
        >
          {selected && (
            // biome-ignore lint/a11y/useSemanticElements: see above
            <div role="columnheader" className={styles.check} tabIndex={-1}>
              <input
                type="checkbox"
                aria-label="Select all rows"
                checked={allAreSelected}
                onChange={() => onSelect?.(new Set(allAreSelected ? [] : rows.map((row) => row.id)))}
              />
            </div>
          )}
          {headers.map((header, index) => (
            <HeaderCell key={header.id} header={header} column={columns[index]!} {...props} />
          ))}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        <div
          className={`${styles.body} ${props.isStale ? styles.stale : ''}`}
          style={{ height: virtualizer.getTotalSize() }}
          role="rowgroup"
        >
          {visible.map(({ index, start }) => {
            const row = rows[index]!;
            return (
              <TableRow
                key={row.id}
                row={row}
                index={index}
                top={start}
                template={template}
                columns={columns}
                isActive={row.id === activeKey}
                isSelected={selected?.has(row.id) ?? false}
                onOpen={props.onOpen}
                onFilter={props.onFilter}
                onToggle={selected && (() => onSelect?.(toggled(selected, row.id)))}
                onMove={(to) => {
                  const next = Math.max(0, Math.min(rows.length - 1, to));
                  virtualizer.scrollToIndex(next);
                  focusRow(scroller.current, next);
                }}
              />
            );
          })}
        </div>
      </div>
      {rows.length === 0
        ? props.empty
        : props.footer !== undefined && <div className={styles.footer}>{props.footer}</div>}
    </div>
  );
}

function HeaderCell<Item>({
  header,
  column,
  sort,
  onSort,
}: { header: Header<Features, { item: Item }, unknown>; column: TableColumn<Item> } & DataTableProps<Item>) {
  const isSorted = sort?.column === column.id;
  const direction = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a table element cannot be positioned freely
    <div
      role="columnheader"
      aria-sort={direction}
      tabIndex={-1}
      className={`${styles.cell} ${column.align === 'end' ? styles.end : ''}`}
    >
      {column.isSortable ? (
        <button
          type="button"
          className={styles.sort}
          onClick={() => onSort?.({ column: column.id, isDescending: isSorted ? !sort.isDescending : true })}
        >
          <span className={styles.title}>{column.title}</span>
          {isSorted && <Icon name={sort.isDescending ? 'arrowDown' : 'arrowUp'} size={12} />}
        </button>
      ) : (
        <span className={styles.title}>{column.title}</span>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: widths only matter to those who see them */}
      <div
        className={styles.resizer}
        onMouseDown={header.getResizeHandler()}
        onTouchStart={header.getResizeHandler()}
        onDoubleClick={() => header.column.resetSize()}
      />
    </div>
  );
}

type TableRowProps<Item> = {
  row: Row<Features, { item: Item }>;
  index: number;
  top: number;
  template: string;
  columns: TableColumn<Item>[];
  isActive: boolean;
  isSelected: boolean;
  onOpen: ((item: Item) => void) | undefined;
  onFilter: ((condition: string) => void) | undefined;
  onToggle: (() => void) | undefined;
  onMove: (index: number) => void;
};

function TableRow<Item>(props: TableRowProps<Item>) {
  const { row, index, top, template, columns, isActive, isSelected, onOpen, onFilter, onToggle, onMove } = props;
  const { item } = row.original;
  const keys: Record<string, () => void> = {
    ArrowDown: () => onMove(index + 1),
    j: () => onMove(index + 1),
    ArrowUp: () => onMove(index - 1),
    k: () => onMove(index - 1),
    Enter: () => onOpen?.(item),
    ' ': () => onToggle?.(),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = event.target === event.currentTarget ? keys[event.key] : undefined;
    if (!action || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    action();
  };
  const onClick = (event: MouseEvent) => {
    if (!(event.target as Element).closest('a, button, input') && getSelection()?.isCollapsed !== false) onOpen?.(item);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a table element cannot be positioned freely
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={onToggle ? isSelected : undefined}
      data-index={index}
      data-active={isActive || undefined}
      tabIndex={isActive || index === 0 ? 0 : -1}
      className={`${styles.row} ${onOpen ? styles.opens : ''}`}
      style={{ gridTemplateColumns: template, transform: `translateY(${top}px)` }}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      {onToggle && (
        // biome-ignore lint/a11y/useSemanticElements: see above
        <div role="cell" className={styles.check}>
          <input type="checkbox" aria-label={`Select row ${index + 1}`} checked={isSelected} onChange={onToggle} />
        </div>
      )}
      {columns.map((column) => (
        // biome-ignore lint/a11y/useSemanticElements: see above
        <div key={column.id} role="cell" className={`${styles.cell} ${column.align === 'end' ? styles.end : ''}`}>
          {column.cell(item)}
          {onFilter && column.filterOf && <FilterButton condition={column.filterOf(item)} onFilter={onFilter} />}
        </div>
      ))}
    </div>
  );
}

function FilterButton({ condition, onFilter }: { condition: string | null; onFilter: (condition: string) => void }) {
  if (condition === null) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.filter}
      title={`Filter by ${condition}`}
      aria-label={`Filter by ${condition}`}
      onClick={() => onFilter(condition)}
    >
      <Icon name="filter" size={12} />
    </button>
  );
}

function toggled(selected: ReadonlySet<string>, key: string): Set<string> {
  const next = new Set(selected);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** The row may be in the document only after the table has scrolled. */
function focusRow(scroller: HTMLDivElement | null, index: number): void {
  requestAnimationFrame(() =>
    scroller?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true }),
  );
}
