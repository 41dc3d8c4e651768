import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { canLoadMore } from '../../api/can-load-more.ts';
import { type TableRow, tableCountQuery, tableRowsQuery } from '../../api/objects.ts';
import { DataTable, type TableColumn } from '../../components/DataTable.tsx';
import { JsonViewer } from '../../components/json/JsonViewer.tsx';
import { NextPageError } from '../../components/NextPageError.tsx';
import { recordOf } from '../../format/call.ts';
import { formatCount } from '../../format/numbers.ts';
import { previewOf } from '../../format/preview.ts';
import { useProject } from '../../hooks/use-project.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Panel } from '../../ui/Panel.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import styles from './VersionPage.module.css';

type Placed = TableRow & { place: number };

/** The rows of a dataset, with a column for each field; a row opens beside the table. */
export function DatasetRows({ digest }: { digest: string }) {
  const project = useProject();
  const [search, change] = useSearchState();
  const { data: count } = useQuery(tableCountQuery(project.id, digest));
  const query = useInfiniteQuery(tableRowsQuery(project.id, digest));
  const { data, error, refetch, fetchNextPage, isFetchNextPageError } = query;
  const rows = useMemo(
    () => data?.pages.flat().map((row, index): Placed => ({ ...row, place: row.original_index ?? index })) ?? [],
    [data],
  );
  const fields = useMemo(() => fieldsOf(data?.pages[0] ?? []), [data]);
  const columns = useMemo(() => rowColumns(fields), [fields]);
  if (error && !data) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!data) return <Loading label="Loading rows" lines={8} />;
  const open = rows.find(({ place }) => String(place) === search.row);
  return (
    <div className={styles.rows}>
      <DataTable
        label="Rows"
        columns={columns}
        items={rows}
        keyOf={({ place }) => String(place)}
        activeKey={search.row}
        onOpen={({ place }) => change({ row: String(place) }, { replace: search.row !== undefined })}
        onEndReached={() => canLoadMore(query) && void fetchNextPage()}
        empty={<Empty icon="table" title="The dataset has no rows" />}
        footer={
          isFetchNextPageError ? (
            <NextPageError query={query} />
          ) : (
            count !== undefined && `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`
          )
        }
      />
      {open && (
        <Panel title={`Row ${open.place + 1}`} onClose={() => change({ row: undefined })}>
          <JsonViewer key={open.place} label="Row" value={open.val} />
        </Panel>
      )}
    </div>
  );
}

const fieldsMax = 50;

/** The names of the fields of the first rows, in the order in which they appear. */
function fieldsOf(rows: TableRow[]): string[] {
  return [...new Set(rows.flatMap(({ val }) => Object.keys(recordOf(val))))].slice(0, fieldsMax);
}

function rowColumns(fields: string[]): TableColumn<Placed>[] {
  return [
    { id: '#', title: '#', width: 72, align: 'end', cell: ({ place }) => formatCount(place + 1) },
    ...fields.map(
      (name): TableColumn<Placed> => ({
        id: `field ${name}`,
        title: name,
        width: 200,
        cell: ({ val }) => <span>{previewOf(recordOf(val)[name])}</span>,
      }),
    ),
    ...(fields.length === 0
      ? [{ id: 'value', title: 'Value', width: 400, cell: ({ val }: Placed) => <span>{previewOf(val)}</span> }]
      : []),
  ];
}
