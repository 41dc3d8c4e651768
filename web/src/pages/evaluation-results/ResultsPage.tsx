import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { callTitle } from '../../api/call-fields.ts';
import { canLoadMore } from '../../api/can-load-more.ts';
import {
  evaluatedBy,
  isRunning as isOpen,
  resultRowsQuery,
  resultSummaryQuery,
  runCallsQuery,
} from '../../api/evaluations.ts';
import { DataTable } from '../../components/DataTable.tsx';
import { NextPageError } from '../../components/NextPageError.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { refTitle } from '../../refs.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Select } from '../../ui/Select.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { projectUrl } from '../../urls.ts';
import { differs, metricsOf } from './metrics.ts';
import styles from './ResultsPage.module.css';
import { RowDetails } from './RowDetails.tsx';
import { resultColumns } from './result-columns.tsx';
import { orderOptions, orderRequest, showOptions, showRequest } from './row-choices.ts';
import { ScoreSummary } from './ScoreSummary.tsx';

/** The results of one run of an evaluation, or of several compared row by row with the first one. */
export function Page() {
  const project = useProject();
  const navigate = useNavigate();
  const [search, change] = useSearchState();
  const { runs: chosen = '', sort = '', show = '', differing, row: openRow } = search;
  const ids = useMemo(() => [...new Set(chosen.split(',').filter(Boolean))], [chosen]);
  const runs = useQuery(runCallsQuery(project.id, ids));
  const isRunning = runs.data?.some(isOpen) ?? false;
  const summary = useQuery(resultSummaryQuery(project.id, { ids, isRunning }));
  const summaries = summary.data?.summary?.evaluations;
  const metrics = useMemo(() => metricsOf(summaries ?? []), [summaries]);
  const choice = { ...orderRequest(sort), ...showRequest(show) };
  const results = useInfiniteQuery(resultRowsQuery(project.id, { ids, isRunning, ...choice }));
  const { data, hasNextPage, isFetchNextPageError, fetchNextPage } = results;
  const isMoreReady = canLoadMore(results);
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const shown = useMemo(
    () => (differing === undefined ? rows : rows.filter((row) => differs(row, ids, metrics))),
    [rows, differing, ids, metrics],
  );
  const columns = useMemo(() => resultColumns(ids, metrics), [ids, metrics]);
  // Rows that differ may be on pages that were not loaded yet.
  const isSeeking = differing !== undefined && hasNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (isSeeking && isMoreReady) void fetchNextPage();
  }, [isSeeking, isMoreReady, fetchNextPage]);

  const calls = runs.data ?? [];
  const title = titleOf(calls);
  usePageTitle(title, project.project);
  if (ids.length === 0) return <NoRun />;
  const error = runs.error ?? summary.error ?? results.error;
  const retry = () => void Promise.all([runs, summary, results].map(({ refetch }) => refetch()));
  if (error && !(runs.data && summary.data && data)) return <ErrorMessage error={error} onRetry={retry} />;
  if (!runs.data || !summary.data || !data) return <Loading label="Loading results" lines={8} />;
  if (calls.length === 0) return <NoRun />;
  const open = rows.find(({ row_digest }) => row_digest === openRow);
  const total = data.pages[0]!.total_rows;
  const setRuns = (next: string[]) => change({ runs: next.join(','), sort: undefined, show: undefined });
  return (
    <>
      <PageHeader
        title={title}
        actions={
          <Button
            icon="plus"
            onClick={() =>
              void navigate({ href: `${projectUrl(project, 'evaluations')}?runs=${encodeURIComponent(ids.join(','))}` })
            }
          >
            Choose runs
          </Button>
        }
      >
        {isRunning && <Badge tone="accent">running</Badge>}
      </PageHeader>
      <ScoreSummary
        runs={calls}
        summaries={summaries ?? []}
        metrics={metrics}
        onBaseline={(id) => setRuns([id, ...ids.filter((each) => each !== id)])}
        onRemove={(id) => setRuns(ids.filter((each) => each !== id))}
      />
      <div className={styles.tools}>
        <Select
          label="Rows"
          isLabelHidden
          value={show}
          options={showOptions(ids, metrics)}
          onChange={(value) => change({ show: value })}
        />
        <Select
          label="Order"
          isLabelHidden
          value={sort}
          options={orderOptions(ids, metrics)}
          onChange={(value) => change({ sort: value })}
        />
        {ids.length > 1 && (
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={differing !== undefined}
              onChange={(event) => change({ differing: event.target.checked ? '1' : undefined })}
            />
            Only rows that differ
          </label>
        )}
        <span className={styles.none} role="status">
          {isSeeking && 'Searching… '}
          {formatCount(differing === undefined ? total : shown.length)} of{' '}
          {formatCount(summary.data.summary?.row_count ?? 0)} rows
        </span>
        <NextPageError query={results} />
      </div>
      <div className={styles.split}>
        <DataTable
          label="Results"
          columns={columns}
          items={shown}
          keyOf={({ row_digest }) => row_digest}
          activeKey={openRow}
          onOpen={({ row_digest }) => change({ row: row_digest }, { replace: openRow !== undefined })}
          onEndReached={() => isMoreReady && void fetchNextPage()}
          isStale={results.isPlaceholderData}
          empty={
            isSeeking ? undefined : (
              <Empty icon="search" title={isRunning && total === 0 ? 'No results yet' : 'No row matches'}>
                {isRunning ? 'The run has begun; its results appear here.' : 'Show all rows to see the others.'}
              </Empty>
            )
          }
        />
        {open && (
          <Panel title="Row" onClose={() => change({ row: undefined })}>
            <RowDetails key={open.row_digest} row={open} runs={calls} metrics={metrics} />
          </Panel>
        )}
      </div>
    </>
  );
}

function NoRun() {
  const project = useProject();
  const navigate = useNavigate();
  return (
    <Empty
      icon="bars"
      title="No such run of an evaluation"
      actions={
        <Button kind="primary" onClick={() => void navigate({ to: projectUrl(project, 'evaluations') })}>
          Choose runs
        </Button>
      }
    >
      It was deleted, or the address is incomplete.
    </Empty>
  );
}

function titleOf(runs: Parameters<typeof callTitle>[0][] & Parameters<typeof evaluatedBy>[0][]): string {
  const [first] = runs;
  if (!first) return 'Evaluation results';
  if (runs.length > 1) return `Compare ${runs.length} runs`;
  return refTitle(evaluatedBy(first).evaluation) || callTitle(first);
}
