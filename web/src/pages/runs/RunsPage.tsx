import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { canLoadMore } from '../../api/can-load-more.ts';
import { type RunSummary, runsQuery } from '../../api/runs.ts';
import { DataTable, type TableColumn } from '../../components/DataTable.tsx';
import { NextPageError } from '../../components/NextPageError.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { runUrl } from '../../urls.ts';
import { RunState } from '../run/RunState.tsx';

/** The runs that W&B clients have logged, or those of one sweep. */
export function Page() {
  const { id: _id, ...project } = useProject();
  const navigate = useNavigate();
  const [{ sweep = '' }, change] = useSearchState();
  usePageTitle('Runs', project.project);
  const query = useInfiniteQuery(runsQuery(project, sweep));
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage } = query;
  const runs = useMemo(() => data?.pages.flatMap(({ edges }) => edges.map(({ node }) => node)) ?? [], [data]);
  if (isPending) return <Loading label="Loading runs" lines={6} />;
  if (error && !data) return <ErrorMessage error={error} onRetry={refetch} />;
  return (
    <>
      <PageHeader
        title={sweep === '' ? 'Runs' : `Runs of the sweep ${sweep}`}
        actions={sweep !== '' && <Button onClick={() => change({ sweep: undefined })}>Show all runs</Button>}
      />
      {runs.length === 0 ? (
        <Empty icon="list" title="No runs yet">
          <p>A run has the metrics, media and files that a program logs with the wandb package:</p>
          <CodeBlock label="Program" text={program(project)} />
        </Empty>
      ) : (
        <DataTable
          label="Runs"
          columns={columns}
          items={runs}
          keyOf={({ name }) => name}
          onOpen={({ name }) => void navigate({ to: runUrl(project, name) })}
          onEndReached={() => canLoadMore(query) && void fetchNextPage()}
          footer={
            <>
              {`${formatCount(runs.length)}${hasNextPage ? '+' : ''} ${runs.length === 1 ? 'run' : 'runs'}`}
              <NextPageError query={query} />
            </>
          }
        />
      )}
    </>
  );
}

const program = ({ entity, project }: { entity: string; project: string }) => `import wandb

with wandb.init(entity="${entity}", project="${project}") as run:
    run.log({"loss": 0.5})`;

const columns: TableColumn<RunSummary>[] = [
  { id: 'name', title: 'Run', width: 260, cell: ({ name, displayName }) => <span>{displayName || name}</span> },
  { id: 'state', title: 'State', width: 110, cell: ({ state }) => <RunState state={state} /> },
  { id: 'rows', title: 'Rows', width: 90, align: 'end', cell: (run) => formatCount(Number(run.historyLineCount)) },
  { id: 'group', title: 'Group', width: 140, cell: ({ group }) => <span>{group}</span> },
  { id: 'tags', title: 'Tags', width: 180, cell: ({ tags }) => <span>{tags.join(', ')}</span> },
  { id: 'user', title: 'User', width: 120, cell: ({ user }) => <span>{user?.username}</span> },
  { id: 'created', title: 'Started', width: 120, align: 'end', cell: (run) => <TimeAgo time={run.createdAt} /> },
];
