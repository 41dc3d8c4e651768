import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { isMissing } from '../../api/missing.ts';
import { questionsQuery } from '../../api/questions.ts';
import { queueQuery, queueStatsQuery } from '../../api/queues.ts';
import { readAgain } from '../../api/read-again.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { QueueDialog } from '../../features/queue/QueueDialog.tsx';
import { QueueProgress } from '../../features/queue/QueueProgress.tsx';
import { useProject } from '../../features/use-project.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { notify } from '../../ui/Toasts.tsx';
import { projectUrl } from '../../urls.ts';
import { Annotate } from './Annotate.tsx';
import styles from './QueuePage.module.css';
import { Results } from './Results.tsx';

/** A queue: its next items with their questions, and what annotators have answered. */
export function Page() {
  const project = useProject();
  const navigate = useNavigate();
  const { queueId = '' } = useParams({ strict: false }) as { queueId?: string };
  const [search, change] = useSearchState();
  const [open, setOpen] = useState<'change' | 'delete' | null>(null);
  const { data: queue, error, isPending, refetch } = useQuery(queueQuery(project.id, queueId));
  const { data: stats } = useQuery(queueStatsQuery(project.id, [queueId]));
  const refs = queue?.scorer_refs ?? [];
  const questions = useQuery(questionsQuery(project.id, refs));
  usePageTitle(queue?.name, project.project);
  const deleteQueue = async () => {
    const request = { params: { queue_id: queueId }, query: { project_id: project.id } };
    await ask('DELETE /annotation_queues/{queue_id}', request);
    notify('Deleted the queue');
    await navigate({ to: projectUrl(project, 'queues') });
    await readAgain({ queryKey: ['queues', project.id, 'list'] });
  };
  const toQueues = <Button onClick={() => void navigate({ to: projectUrl(project, 'queues') })}>All queues</Button>;
  if (isMissing(error)) {
    return (
      <Empty icon="queue" title="This queue does not exist" actions={toQueues}>
        It was deleted, or its address is wrong.
      </Empty>
    );
  }
  const fault = error ?? questions.error;
  if (fault) return <ErrorMessage error={fault} onRetry={() => void (error ? refetch() : questions.refetch())} />;
  if (isPending || !queue || (refs.length > 0 && questions.isPending))
    return <Loading label="Loading the queue" lines={6} />;
  const counts = stats?.get(queueId);
  const known = questions.data ?? [];
  return (
    <>
      <PageHeader
        title={queue.name}
        actions={
          <>
            {counts && <QueueProgress done={counts.own_completed_items ?? 0} total={counts.total_items} />}
            <Menu align="end" trigger={<IconButton label="Actions of the queue" icon="more" />}>
              <MenuItem icon="pencil" onSelect={() => setOpen('change')}>
                Change name and questions
              </MenuItem>
              <MenuItem icon="trash" isDanger onSelect={() => setOpen('delete')}>
                Delete the queue
              </MenuItem>
            </Menu>
          </>
        }
      />
      {queue.description !== '' && <p className={styles.description}>{queue.description}</p>}
      <div className={styles.tabs}>
        <Tabs
          label="Views of the queue"
          value={search.tab === 'results' ? 'results' : 'annotate'}
          onChange={(tab) => change({ tab: tab === 'results' ? tab : undefined }, { replace: true })}
          tabs={[
            {
              ...{ id: 'annotate', title: 'Annotate' },
              content: <Annotate queueId={queueId} questions={known} total={counts?.total_items ?? null} />,
            },
            { id: 'results', title: 'Results', content: <Results queueId={queueId} questions={known} /> },
          ]}
        />
      </div>
      {open === 'change' && <QueueDialog queue={queue} onClose={() => setOpen(null)} onSaved={() => setOpen(null)} />}
      {open === 'delete' && (
        <ConfirmDialog
          title={`Delete the queue ${queue.name}?`}
          description="Its calls and the annotations of them stay. This cannot be undone."
          action="Delete"
          run={deleteQueue}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}
