import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { canLoadMore } from '../../api/can-load-more.ts';
import { isMissing } from '../../api/missing.ts';
import { firstTurnsQuery, type Thread, type ThreadsChoice, threadsQuery } from '../../api/threads.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { NextPageError } from '../../components/NextPageError.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { parseRange, rangeOptions } from '../../format/time-range.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Select } from '../../ui/Select.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { NoThreads } from './NoThreads.tsx';
import styles from './ThreadsPage.module.css';
import { ThreadView } from './ThreadView.tsx';
import { threadColumns } from './thread-columns.tsx';

/** The conversations of a project. One of them is read beside the list, turn by turn. */
export function Page() {
  const project = useProject();
  const [search, change] = useSearchState();
  usePageTitle('Threads', project.project);
  const { range = '', id = '', sort = 'last_updated', order, thread } = search;
  const isDescending = order !== 'asc';
  const choice = useMemo((): ThreadsChoice => {
    const { from } = parseRange(range, Date.now());
    const filter = {
      ...(from === null ? {} : { after_datetime: from.toISOString() }),
      ...(id === '' ? {} : { thread_ids: [id] }),
    };
    return { filter, sort_by: [{ field: sort, direction: isDescending ? 'desc' : 'asc' }] };
  }, [range, id, sort, isDescending]);
  const query = useInfiniteQuery(threadsQuery(project.id, choice));
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage, isPlaceholderData } = query;
  const threads = useMemo(() => unique(data?.pages.flat() ?? []), [data]);
  const firstIds = useMemo(() => threads.flatMap(({ first_turn_id }) => first_turn_id ?? []).slice(0, 1000), [threads]);
  const { data: firstMessages } = useQuery(firstTurnsQuery(project.id, firstIds));
  const columns = useMemo(() => threadColumns(firstMessages ?? new Map()), [firstMessages]);

  const isFiltered = range !== '' || id !== '';
  if (isPending) return <Loading label="Loading threads" lines={8} />;
  if (error && !data && !isMissing(error)) return <ErrorMessage error={error} onRetry={refetch} />;
  if (threads.length === 0 && !isFiltered && !isPlaceholderData && thread === undefined)
    return <NoThreads projectId={project.id} />;
  return (
    <>
      <PageHeader
        title="Threads"
        actions={
          <>
            <TextField
              label="Thread id"
              isLabelHidden
              type="search"
              placeholder="Thread id"
              value={id}
              onChange={(event) => change({ id: event.target.value.trim() }, { replace: true })}
            />
            <Select
              label="Time range"
              isLabelHidden
              value={range}
              options={rangeOptions}
              onChange={(value) => change({ range: value })}
            />
          </>
        }
      />
      <div className={styles.split}>
        <DataTable
          label="Threads"
          columns={columns}
          items={threads}
          keyOf={({ thread_id }) => thread_id}
          activeKey={thread}
          onOpen={({ thread_id }) => change({ thread: thread_id, turn: undefined }, { replace: thread !== undefined })}
          sort={{ column: sort, isDescending }}
          onSort={(next) => change({ sort: next.column, order: next.isDescending ? undefined : 'asc' })}
          onEndReached={() => canLoadMore(query) && void fetchNextPage()}
          isStale={isPlaceholderData}
          empty={<NoMatch onClear={() => change({ id: undefined, range: undefined })} />}
          footer={
            <>
              {`${formatCount(threads.length)}${hasNextPage ? '+' : ''} ${threads.length === 1 ? 'thread' : 'threads'}`}
              <NextPageError query={query} />
            </>
          }
        />
        {thread !== undefined && (
          <Panel title={`Thread ${thread}`} onClose={() => change({ thread: undefined, turn: undefined })}>
            <ThreadView key={thread} threadId={thread} />
          </Panel>
        )}
      </div>
    </>
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Empty
      icon="filter"
      title="No threads match"
      actions={<Button onClick={onClear}>Clear filter and time range</Button>}
    >
      A thread is found by its whole id. The time range selects the turns that started in it.
    </Empty>
  );
}

/** A thread moves to an earlier page when it gets a turn. */
function unique(threads: Thread[]): Thread[] {
  return [...new Map(threads.map((thread) => [thread.thread_id, thread])).values()];
}
