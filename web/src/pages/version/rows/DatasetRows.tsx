import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { canLoadMore } from '../../../api/can-load-more.ts';
import { type ObjectVersion, tableCountQuery, tableRowsQuery } from '../../../api/objects.ts';
import { DataTable } from '../../../components/DataTable.tsx';
import { JsonViewer } from '../../../components/json/JsonViewer.tsx';
import { NextPageError } from '../../../components/NextPageError.tsx';
import { useProject } from '../../../features/use-project.ts';
import { recordOfEntries } from '../../../format/key-order.ts';
import { formatCount } from '../../../format/numbers.ts';
import { useSearchState } from '../../../hooks/use-search-state.ts';
import { Button } from '../../../ui/Button.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Empty, ErrorMessage, Loading } from '../../../ui/Status.tsx';
import { EditBar } from './EditBar.tsx';
import { RowEditor } from './RowEditor.tsx';
import styles from './Rows.module.css';
import { withAdded, withAddedAt, withChanged, withToggled } from './row-edits.ts';
import { fieldsOf, rowColumns, shownRows } from './shown-rows.tsx';
import { useRowEdits } from './use-row-edits.ts';

type DatasetRowsProps = {
  dataset: ObjectVersion;
  /** The digest of its table. */
  digest: string;
  /** Only the latest version can be edited, so that no version between is lost. */
  isLatest: boolean;
};

/** The rows of a dataset, with a column for each field; a row opens beside the table. They are edited into a new version. */
export function DatasetRows({ dataset, digest, isLatest }: DatasetRowsProps) {
  const project = useProject();
  const [search, change] = useSearchState();
  const { data: count } = useQuery(tableCountQuery(project.id, digest));
  const query = useInfiniteQuery(tableRowsQuery(project.id, digest));
  const { data, error, refetch, fetchNextPage, isFetchNextPageError, hasNextPage } = query;
  const { edits, setEdits, publication, start, stop } = useRowEdits(dataset, digest);
  const loaded = useMemo(() => data?.pages.flat() ?? [], [data]);
  const rows = useMemo(() => shownRows(loaded, hasNextPage, count ?? 0, edits), [loaded, hasNextPage, count, edits]);
  const fields = useMemo(() => fieldsOf(data?.pages[0] ?? []), [data]);
  const columns = useMemo(() => rowColumns(fields), [fields]);
  if (error && !data) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!data) return <Loading label="Loading rows" lines={8} />;
  const open = rows.find(({ key }) => key === search.row);
  return (
    <div className={styles.rows}>
      {edits ? (
        <EditBar
          edits={edits}
          error={publication.error}
          isBusy={publication.isPending}
          onAdd={() => {
            setEdits(withAdded(edits, recordOfEntries(fields.map((field) => [field, '']))));
            change({ row: `new ${edits.added.length}` });
          }}
          onCancel={stop}
          onPublish={() => publication.mutate()}
        />
      ) : (
        isLatest && (
          <div className={styles.bar}>
            <Button icon="pencil" onClick={start}>
              Edit rows
            </Button>
          </div>
        )
      )}
      <div className={styles.split}>
        <DataTable
          label="Rows"
          columns={columns}
          items={rows}
          keyOf={({ key }) => key}
          activeKey={search.row}
          onOpen={({ key }) => change({ row: key }, { replace: search.row !== undefined })}
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
          <Panel
            title={open.added === undefined ? `Row ${open.place + 1}` : 'New row'}
            onClose={() => change({ row: undefined })}
          >
            {edits ? (
              <RowEditor
                key={open.key}
                row={open.val as Record<string, unknown>}
                isDeleted={open.state === 'deleted'}
                onChange={(row) =>
                  setEdits(
                    open.added === undefined
                      ? withChanged(edits, open.place, row)
                      : withAddedAt(edits, open.added, row),
                  )
                }
                onDelete={() => {
                  if (open.added === undefined) return setEdits(withToggled(edits, open.place));
                  setEdits(withAddedAt(edits, open.added, null));
                  change({ row: undefined });
                }}
              />
            ) : (
              <div className={styles.row}>
                <JsonViewer key={open.key} label="Row" value={open.val} />
              </div>
            )}
          </Panel>
        )}
      </div>
    </div>
  );
}
