import { useCallback, useMemo } from 'react';
import { DataTable } from '../../components/DataTable.tsx';
import { NextPageError } from '../../components/NextPageError.tsx';
import { useWithFailures } from '../../features/call/use-with-failures.ts';
import { useWithSpending } from '../../features/call/use-with-spending.ts';
import { formatCount } from '../../format/numbers.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { NoMatch } from './NoMatch.tsx';
import { columnsOf } from './trace-columns.tsx';
import type { Selection } from './traces-query.ts';
import type { Sort, useTraces } from './use-traces.ts';

type TracesTableProps = {
  traces: ReturnType<typeof useTraces>;
  selection: Selection;
  sort: Sort | null;
  columnIds: string[];
  onFilter: (condition: string) => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
};

/** The selected calls, one in each row. Further pages are read when the end comes into view. */
export function TracesTable({ traces, selection, sort, columnIds, onFilter, selected, onSelect }: TracesTableProps) {
  const [search, change] = useSearchState();
  const { calls, hasNextPage, isFetchNextPageError, fetchNextPage } = traces;
  const columns = useMemo(() => columnsOf(columnIds), [columnIds]);
  const areTraces = selection.filter.topmost_calls_only === true;
  const withFailures = useWithFailures(selection.projectId, calls, areTraces);
  const items = useWithSpending(selection.projectId, withFailures, areTraces);
  const isMoreWanted = hasNextPage && !traces.isFetchingNextPage && !isFetchNextPageError;
  const onEndReached = useCallback(() => {
    if (isMoreWanted) void fetchNextPage();
  }, [isMoreWanted, fetchNextPage]);
  if (traces.isPending) return <Loading label="Loading traces" lines={8} />;
  if (traces.error && calls.length === 0) return <ErrorMessage error={traces.error} onRetry={traces.refetch} />;
  const all = `${formatCount(calls.length)} shown, that is all.`;
  return (
    <DataTable
      label="Traces"
      columns={columns}
      items={items}
      keyOf={keyOf}
      activeKey={search.call}
      onOpen={({ id }) => change({ call: id }, { replace: search.call !== undefined })}
      onFilter={onFilter}
      sort={
        sort && {
          column: columns.find(({ field }) => field === sort.field)?.id ?? '',
          isDescending: sort.isDescending,
        }
      }
      onSort={({ column, isDescending }) => {
        const field = columns.find(({ id }) => id === column)?.field;
        change({ sort: field && `${field}:${isDescending ? 'desc' : 'asc'}` });
      }}
      selected={selected}
      onSelect={onSelect}
      onEndReached={onEndReached}
      isStale={traces.isPlaceholderData}
      footer={isFetchNextPageError ? <NextPageError query={traces} /> : hasNextPage ? 'Loading more…' : all}
      empty={
        <NoMatch query={selection.query} onClear={() => change({ q: undefined, range: undefined, where: undefined })} />
      }
    />
  );
}

function keyOf({ id }: { id: string }): string {
  return id;
}
