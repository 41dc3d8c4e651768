import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Call } from '../../api/calls.ts';
import { askLines, RequestError } from '../../api/client.ts';
import { CallView } from '../../components/call/CallView.tsx';
import { DataTable } from '../../components/DataTable.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { StartLines } from '../../components/StartLines.tsx';
import { callTitle } from '../../format/call.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useProject } from '../../hooks/use-project.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Panel } from '../../ui/Panel.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import styles from './TracesPage.module.css';
import { traceColumns } from './trace-columns.tsx';

export function Page() {
  const project = useProject();
  const [search, change] = useSearchState();
  usePageTitle('Traces', project.project);
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['calls', project.id, 'roots'],
    queryFn: ({ pageParam, signal }) =>
      askLines(
        'POST /calls/stream_query',
        {
          body: {
            project_id: project.id,
            filter: { trace_roots_only: true },
            sort_by: [{ field: 'started_at', direction: 'desc' }],
            include_costs: true,
            limit: pageSize,
            offset: pageParam,
          },
        },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: (last: Call[], pages) => (last.length < pageSize ? undefined : pages.length * pageSize),
    // A project is created by its first write: until then it is shown as an empty one.
    refetchInterval: ({ state }) => (state.error || state.data?.pages[0]?.length === 0 ? 2000 : false),
  });
  const isMissing = error instanceof RequestError && error.status === 404;
  const calls = useMemo(() => data?.pages.flat() ?? [], [data]);
  if (isPending) return <Loading label="Loading traces" lines={8} />;
  if (error && !data && !isMissing) return <ErrorMessage error={error} onRetry={refetch} />;
  if (calls.length === 0) {
    return (
      <>
        <PageHeader title="No traces yet" />
        <div className={styles.start}>
          <p>Set these variables, then run the program: its calls appear here.</p>
          <StartLines projectId={project.id} />
        </div>
      </>
    );
  }
  const open = calls.find(({ id }) => id === search.call);
  return (
    <>
      <PageHeader title="Traces" />
      <div className={styles.split}>
        <DataTable
          label="Traces"
          columns={traceColumns}
          items={calls}
          keyOf={({ id }) => id}
          activeKey={search.call}
          onOpen={({ id }) => change({ call: id }, { replace: search.call !== undefined })}
          onEndReached={() => hasNextPage && !isFetching && void fetchNextPage()}
        />
        {search.call !== undefined && (
          <Panel title={open ? callTitle(open) : 'Call'} onClose={() => change({ call: undefined })}>
            <CallView callId={search.call} onChoose={(call) => change({ call }, { replace: true })} />
          </Panel>
        )}
      </div>
    </>
  );
}

const pageSize = 100;
