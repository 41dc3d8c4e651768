import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Annotation, annotationsMax, annotationsQuery } from '../../api/annotations.ts';
import { canLoadMore } from '../../api/can-load-more.ts';
import type { Question } from '../../api/questions.ts';
import { itemsQuery } from '../../api/queues.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { NextPageError } from '../../components/NextPageError.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { callUrl } from '../../urls.ts';
import { QuestionSummary } from './QuestionSummary.tsx';
import styles from './Results.module.css';
import { resultColumns } from './result-columns.tsx';

/** What annotators have answered, question by question and call by call, and how far they agree. */
export function Results({ queueId, questions }: { queueId: string; questions: Question[] }) {
  const project = useProject();
  const navigate = useNavigate();
  const annotations = useQuery(annotationsQuery(project.id, { queueId }));
  const query = useInfiniteQuery(itemsQuery(project.id, queueId));
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage } = query;
  const items = useMemo(() => data?.pages.flat() ?? [], [data]);
  const known = annotations.data ?? none;
  const columns = useMemo(() => resultColumns(project.id, questions, known), [project.id, questions, known]);
  const fault = annotations.error ?? (data ? null : error);
  if (fault)
    return <ErrorMessage error={fault} onRetry={() => void (annotations.error ? annotations.refetch() : refetch())} />;
  if (isPending || annotations.isPending) return <Loading label="Loading the results" lines={6} />;
  return (
    <div className={styles.results}>
      {questions.length > 0 && <QuestionSummary questions={questions} annotations={known} />}
      {known.length >= annotationsMax && (
        <p className={styles.note}>Computed from the newest {formatCount(annotationsMax)} annotations.</p>
      )}
      <DataTable
        label="Items of the queue"
        columns={columns}
        items={items}
        keyOf={({ id }) => id}
        onOpen={({ call_id }) => void navigate({ to: callUrl(project, call_id) })}
        onEndReached={() => canLoadMore(query) && void fetchNextPage()}
        empty={<Empty icon="queue" title="The queue is empty" />}
        footer={
          <>
            {`${formatCount(items.length)}${hasNextPage ? '+' : ''} ${items.length === 1 ? 'call' : 'calls'}`}
            <NextPageError query={query} />
          </>
        }
      />
    </div>
  );
}

const none: Annotation[] = [];
