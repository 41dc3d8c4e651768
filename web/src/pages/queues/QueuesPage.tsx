import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { canLoadMore } from '../../api/can-load-more.ts';
import { isMissing } from '../../api/missing.ts';
import { type Queue, type QueueStats, queueStatsQuery, queuesQuery } from '../../api/queues.ts';
import { DataTable, type TableColumn } from '../../components/DataTable.tsx';
import { NextPageError } from '../../components/NextPageError.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { QueueDialog } from '../../features/queue/QueueDialog.tsx';
import { QueueProgress } from '../../features/queue/QueueProgress.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { refTitle } from '../../refs.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { queueUrl } from '../../urls.ts';

/** The queues of calls that people look at, with their progress. */
export function Page() {
  const project = useProject();
  const navigate = useNavigate();
  const [isMaking, setIsMaking] = useState(false);
  usePageTitle('Annotation queues', project.project);
  const query = useInfiniteQuery(queuesQuery(project.id));
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage } = query;
  const queues = useMemo(() => data?.pages.flat() ?? [], [data]);
  const ids = useMemo(() => queues.map(({ id }) => id), [queues]);
  const { data: stats } = useQuery(queueStatsQuery(project.id, ids));
  const columns = useMemo(() => columnsOf(stats ?? new Map()), [stats]);
  const open = (id: string) => void navigate({ to: queueUrl(project, id) });

  if (isPending) return <Loading label="Loading queues" lines={6} />;
  if (error && !data && !isMissing(error)) return <ErrorMessage error={error} onRetry={refetch} />;
  const make = (
    <Button kind="primary" icon="plus" onClick={() => setIsMaking(true)}>
      New queue
    </Button>
  );
  return (
    <>
      <PageHeader title="Annotation queues" actions={queues.length > 0 && make} />
      {queues.length === 0 ? (
        <Empty icon="queue" title="No queues yet" actions={make}>
          A queue collects calls that people look at one after the other, and the questions that they answer about each.
          Make a queue, then select calls in the traces and add them to it.
        </Empty>
      ) : (
        <DataTable
          label="Annotation queues"
          columns={columns}
          items={queues}
          keyOf={({ id }) => id}
          onOpen={({ id }) => open(id)}
          onEndReached={() => canLoadMore(query) && void fetchNextPage()}
          footer={
            <>
              {`${formatCount(queues.length)}${hasNextPage ? '+' : ''} ${queues.length === 1 ? 'queue' : 'queues'}`}
              <NextPageError query={query} />
            </>
          }
        />
      )}
      {isMaking && <QueueDialog queue={null} onClose={() => setIsMaking(false)} onSaved={open} />}
    </>
  );
}

function columnsOf(stats: ReadonlyMap<string, QueueStats>): TableColumn<Queue>[] {
  const progress = (queueId: string, done: (stats: QueueStats) => number) => {
    const counts = stats.get(queueId);
    return counts && <QueueProgress done={done(counts)} total={counts.total_items} />;
  };
  return [
    { id: 'name', title: 'Queue', width: 220, cell: ({ name }) => <span>{name}</span> },
    {
      ...{ id: 'done', title: 'Annotated by anyone', width: 190 },
      cell: ({ id }) => progress(id, ({ completed_items }) => completed_items),
    },
    {
      ...{ id: 'own', title: 'By you', width: 190 },
      cell: ({ id }) => progress(id, ({ own_completed_items }) => own_completed_items ?? 0),
    },
    {
      ...{ id: 'questions', title: 'Questions', width: 220 },
      cell: ({ scorer_refs }) => <span>{scorer_refs.map(refTitle).join(', ')}</span>,
    },
    {
      id: 'created',
      title: 'Created',
      width: 110,
      align: 'end',
      cell: ({ created_at }) => <TimeAgo time={created_at} />,
    },
    { id: 'description', title: 'Description', width: 240, cell: ({ description }) => <span>{description}</span> },
  ];
}
