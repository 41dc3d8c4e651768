import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { callTitle } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import { canLoadMore } from '../../api/can-load-more.ts';
import { evaluatedBy, runsQuery } from '../../api/evaluations.ts';
import { isMissing } from '../../api/missing.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { NextPageError } from '../../components/NextPageError.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { StartPage } from '../../components/StartPage.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { refTitle } from '../../refs.ts';
import { Button } from '../../ui/Button.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { evaluationResultsUrl } from '../../urls.ts';
import { runColumns } from './run-columns.tsx';
import { scoresOf } from './run-scores.ts';

/** The runs of evaluations with their scores; some of them are chosen and compared. */
export function Page() {
  const project = useProject();
  const navigate = useNavigate();
  const [search, change] = useSearchState();
  usePageTitle('Evaluations', project.project);
  const { sort = 'started_at', order, find = '', runs: chosen = '' } = search;
  const isDescending = order !== 'asc';
  const query = useInfiniteQuery(runsQuery(project.id, { field: sort, direction: isDescending ? 'desc' : 'asc' }));
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage, isPlaceholderData } = query;
  const isMoreReady = canLoadMore(query);
  const runs = useMemo(() => data?.pages.flat() ?? [], [data]);
  const found = useMemo(() => runs.filter((run) => contains(run, find)), [runs, find]);
  const columns = useMemo(() => runColumns(scoresOf(runs.map(({ output }) => output))), [runs]);
  const selected = useMemo(() => new Set(chosen.split(',').filter(Boolean)), [chosen]);
  // What is sought may be on a page that was not loaded yet.
  const isSeeking = find !== '' && hasNextPage && !query.isFetchNextPageError;
  useEffect(() => {
    if (isSeeking && isMoreReady) void fetchNextPage();
  }, [isSeeking, isMoreReady, fetchNextPage]);

  if (isPending) return <Loading label="Loading evaluations" lines={8} />;
  if (error && !data && !isMissing(error)) return <ErrorMessage error={error} onRetry={refetch} />;
  if (runs.length === 0) return <NoRuns projectId={project.id} />;
  const open = (ids: string[]) => void navigate({ href: evaluationResultsUrl(project, ids) });
  return (
    <>
      <PageHeader
        title="Evaluations"
        actions={
          <>
            <TextField
              label="Search runs"
              isLabelHidden
              type="search"
              placeholder="Search runs"
              value={find}
              onChange={(event) => change({ find: event.target.value }, { replace: true })}
            />
            <Button
              kind={selected.size > 0 ? 'primary' : 'normal'}
              icon="columns"
              disabled={selected.size === 0}
              title={selected.size === 0 ? 'Select runs in the first column' : undefined}
              onClick={() => open([...selected])}
            >
              {selected.size > 1 ? `Compare ${selected.size} runs` : 'Compare'}
            </Button>
          </>
        }
      />
      <DataTable
        label="Evaluation runs"
        columns={columns}
        items={found}
        keyOf={({ id }) => id}
        onOpen={({ id }) => open([id])}
        sort={{ column: sort, isDescending }}
        onSort={(next) => change({ sort: next.column, order: next.isDescending ? undefined : 'asc' })}
        selected={selected}
        onSelect={(next) => change({ runs: [...next].join(',') }, { replace: true })}
        onEndReached={() => isMoreReady && void fetchNextPage()}
        isStale={isPlaceholderData}
        empty={<Empty icon="search" title={isSeeking ? 'Searching…' : `No run contains “${find}”`} />}
        footer={
          <>
            {`${formatCount(found.length)}${hasNextPage ? '+' : ''} ${found.length === 1 ? 'run' : 'runs'}`}
            <NextPageError query={query} />
          </>
        }
      />
    </>
  );
}

function contains(run: Call, text: string): boolean {
  const { evaluation, model } = evaluatedBy(run);
  const sought = text.trim().toLowerCase();
  return [callTitle(run), refTitle(evaluation), refTitle(model)].some((each) => each.toLowerCase().includes(sought));
}

function NoRuns({ projectId }: { projectId: string }) {
  return (
    <StartPage title="No evaluations yet">
      <p>
        An evaluation runs a model on each row of a dataset and scores what it answers. Run this program: its results
        appear here.
      </p>
      <CodeBlock label="evaluation.py" text={firstEvaluation(projectId)} />
    </StartPage>
  );
}

function firstEvaluation(projectId: string): string {
  return `import asyncio
import weave

weave.init("${projectId}")

@weave.op
def model(question: str) -> str:
    return "Paris"

@weave.op
def correct(output: str, expected: str) -> bool:
    return output == expected

evaluation = weave.Evaluation(
    name="capitals",
    dataset=[{"question": "What is the capital of France?", "expected": "Paris"}],
    scorers=[correct],
)
asyncio.run(evaluation.evaluate(model))`;
}
