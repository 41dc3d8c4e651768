import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { isMissing } from '../../api/missing.ts';
import { TimeChart } from '../../components/chart/TimeChart.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { WhichCalls } from '../../features/call/WhichCalls.tsx';
import { SetPrice } from '../../features/cost/SetPrice.tsx';
import { useProject } from '../../features/use-project.ts';
import { formatCount } from '../../format/numbers.ts';
import { parseRange, rangeOptions, rangeText } from '../../format/time-range.ts';
import { useNow } from '../../hooks/use-now.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { projectUrl } from '../../urls.ts';
import { chartsByGroup, chartsOfAll } from './charts.ts';
import styles from './DashboardPage.module.css';
import { dashboardQuery, type Grouping } from './dashboard-query.ts';
import { GroupTable } from './GroupTable.tsx';
import { measuredOf, sum, unpricedOfAll } from './measured.ts';

/** Usage, errors, latency and cost of a project over time. Every chart links to its calls. */
export function Page() {
  const project = useProject();
  const [search, change] = useSearchState();
  usePageTitle('Dashboard', project.project);
  const by = groupings.find(({ value }) => value === search.by)?.value ?? '';
  const isRootsOnly = search.all !== '1';
  const range = search.range ?? '7d';
  const minute = Math.ceil(useNow() / minuteMs) * minuteMs;
  const { from, to } = useMemo(() => {
    const { from, to } = parseRange(range, minute);
    return { from: from ?? new Date(minute - weekMs), to: to ?? new Date(minute) };
  }, [range, minute]);
  const query = useQuery(dashboardQuery(project.id, { from, to, by: by === '' ? null : by, isRootsOnly }));
  const { data, error, isPending, isPlaceholderData, refetch } = query;
  const measured = useMemo(() => data && measuredOf(data), [data]);
  const charts = useMemo(
    () => (measured ? (data?.groups ? chartsByGroup(measured) : chartsOfAll(measured)) : []),
    [measured, data],
  );
  const passedOn = { range, all: search.all };
  const isCustomRange = !rangeOptions.some(({ value }) => value === range);
  const unpriced = unpricedOfAll(measured?.groups ?? []);
  const calls = sum(measured?.groups.map((group) => sum(group.calls)) ?? []);
  return (
    <>
      <PageHeader
        title="Dashboard"
        actions={
          <>
            <Select
              label="Time range"
              isLabelHidden
              value={range}
              options={[
                ...rangeOptions.filter(({ value }) => value !== ''),
                ...(isCustomRange ? [{ value: range, label: 'Chosen in a chart' }] : []),
              ]}
              onChange={(value) => change({ range: value })}
            />
            <Select
              label="Group by"
              isLabelHidden
              value={by}
              options={groupings}
              onChange={(value) => change({ by: value })}
            />
            <WhichCalls isRootsOnly={isRootsOnly} onChange={(isRoots) => change({ all: isRoots ? undefined : '1' })} />
          </>
        }
      />
      {isPending ? (
        <Loading label="Loading the dashboard" lines={8} />
      ) : error && !isMissing(error) ? (
        <ErrorMessage error={error} onRetry={refetch} />
      ) : calls === 0 || !measured ? (
        <NoCalls isLongest={range === '30d'} onLonger={() => change({ range: '30d' })} />
      ) : (
        <div className={`${styles.page} ${isPlaceholderData ? styles.stale : ''}`} aria-busy={isPlaceholderData}>
          {by !== '' && data?.groups && (
            <>
              <GroupTable by={by} groups={measured.groups} search={passedOn} />
              <p className={styles.note}>{noteOf(by, data.groups.length, data.group_count ?? 0)}</p>
            </>
          )}
          {!isRootsOnly && (
            <p className={styles.note}>
              The SDKs add the tokens of calls to the calls above them, which count again here.
            </p>
          )}
          {unpriced.models.length > 0 && (
            <p className={styles.note}>
              Costs leave out the tokens of {unpriced.models.length === 1 ? 'a model' : 'models'} without a known price.{' '}
              <SetPrice models={unpriced.models} />
            </p>
          )}
          <div className={styles.charts}>
            {charts.map(({ title, summary, series, format, drill }) => (
              <div key={title} className={styles.chart}>
                <TimeChart
                  title={title}
                  summary={summary}
                  times={measured.times}
                  series={series}
                  format={format}
                  height={150}
                  onSelect={(start, end) => change({ range: rangeText(new Date(start * 1000), new Date(end * 1000)) })}
                />
                <Link
                  className={styles.drill}
                  to={projectUrl(project)}
                  search={{ ...passedOn, q: drill.q, sort: drill.sort } as never}
                >
                  {drill.label}
                </Link>
              </div>
            ))}
          </div>
        </div>
      )}
    </>
  );
}

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;

const groupings: { value: Grouping | ''; label: string }[] = [
  { value: '', label: 'All together' },
  { value: 'model', label: 'By model' },
  { value: 'op', label: 'By op' },
  { value: 'user', label: 'By user' },
];

function noteOf(by: Grouping, shown: number, total: number): string {
  const most = total > shown ? `The ${shown} ${by}s with most calls, of ${formatCount(total)}. ` : '';
  return by === 'model' ? `${most}A call counts for every model whose tokens it reports.` : most;
}

function NoCalls({ isLongest, onLonger }: { isLongest: boolean; onLonger: () => void }) {
  const project = useProject();
  return (
    <Empty
      icon="bars"
      title="No calls in this time"
      actions={
        isLongest ? (
          <Link to={projectUrl(project)}>Go to the traces</Link>
        ) : (
          <Button onClick={onLonger}>Look at the last 30 days</Button>
        )
      }
    >
      As soon as your program sends calls, this page shows how many there are, how long they take, what they cost and
      how many fail.
    </Empty>
  );
}
