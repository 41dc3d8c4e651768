import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { annotationsQuery } from '../../api/annotations.ts';
import { callQuery } from '../../api/calls.ts';
import type { Question } from '../../api/questions.ts';
import { ownItemsMax, ownItemsQuery, type QueueItem } from '../../api/queues.ts';
import { useProject } from '../../features/use-project.ts';
import { refOfCall } from '../../refs.ts';
import { notifyError } from '../../ui/Toasts.tsx';
import { type Answers, saveItem } from './save-item.ts';

/** Items whose calls are loaded before they are shown. */
const aheadCount = 2;

/**
 * The item to annotate, and the way to the next one. The next item is shown at once, while the one before is saved; if
 * that fails, the item comes back with its answers.
 */
export function useAnnotating(queueId: string, questions: Question[]) {
  const { id: projectId } = useProject();
  const client = useQueryClient();
  const { data: waiting, error, isPending, isFetching, refetch } = useQuery(ownItemsQuery(projectId, queueId));
  const [finished, setFinished] = useState<readonly QueueItem[]>([]);
  /** How many finished items the user has gone back. */
  const [back, setBack] = useState(0);
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Answers>>(new Map());
  const todo = useMemo(() => {
    const done = new Set(finished.map(({ id }) => id));
    return (waiting ?? []).filter(({ id }) => !done.has(id));
  }, [waiting, finished]);
  const item = back > 0 ? finished.at(-back) : todo[0];

  const isMoreNeeded = todo.length <= ownItemsMax / 3 && waiting?.length === ownItemsMax;
  useEffect(() => {
    if (isMoreNeeded && !isFetching) void refetch();
  }, [isMoreNeeded, isFetching, refetch]);
  useEffect(() => {
    for (const { call_id: callId } of todo.slice(0, 1 + aheadCount)) {
      void client.prefetchQuery({ ...callQuery(projectId, callId), staleTime: 60_000 });
      void client.prefetchQuery(annotationsQuery(projectId, { queueId, callRef: refOfCall(projectId, callId) }));
    }
  }, [client, projectId, queueId, todo]);

  const finish = (state: 'completed' | 'skipped', answers: Answers) => {
    if (!item) return;
    if (back > 0) setBack(back - 1);
    else setFinished([...finished, { ...item, own_state: state }]);
    void saveItem({ client, projectId, queueId, item, state, questions, answers }).catch((error: unknown) => {
      notifyError(error);
      setFinished((before) => before.filter(({ id }) => id !== item.id));
      setBack(0);
      void refetch();
    });
  };
  return {
    ...{ item, error, isPending, refetch, finish },
    isLoadingMore: isFetching && isMoreNeeded,
    answers: (item && drafts.get(item.id)) ?? noAnswers,
    answer: (answers: Answers) => item && setDrafts(new Map(drafts).set(item.id, answers)),
    goBack: back < finished.length ? () => setBack(back + 1) : null,
    goOn: back > 0 ? () => setBack(back - 1) : null,
  };
}

const noAnswers: Answers = new Map();
