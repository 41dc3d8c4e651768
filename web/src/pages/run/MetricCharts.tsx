import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Column, type Logged, valuesQuery } from '../../api/runs.ts';
import { StepChart } from '../../components/chart/StepChart.tsx';
import { useProject } from '../../features/use-project.ts';
import { numberOf } from '../../format/json.ts';
import { formatCount } from '../../format/numbers.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import styles from './MetricCharts.module.css';

/** A chart of each metric by step. Of long runs, samples are shown. */
export function MetricCharts({ runId, columns }: { runId: string; columns: Column[] }) {
  const [pages, setPages] = useState(1);
  if (columns.length === 0) return <Empty icon="list" title="The run has logged no numbers" />;
  const rest = columns.length - pages * chartsOfPage;
  return (
    <>
      <div className={styles.grid}>
        {Array.from({ length: pages }, (_, page) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pages are numbered
          <Charts key={page} runId={runId} columns={columns.slice(page * chartsOfPage, (page + 1) * chartsOfPage)} />
        ))}
      </div>
      {rest > 0 && <Button onClick={() => setPages(pages + 1)}>{`Show more of ${formatCount(rest)} metrics`}</Button>}
    </>
  );
}

/** The server reads the history once for each. */
const chartsOfPage = 30;
const samples = 500;

function Charts({ runId, columns }: { runId: string; columns: Column[] }) {
  const { id: _id, ...project } = useProject();
  const { data, error, refetch } = useQuery(valuesQuery(project, runId, columns, samples));
  if (error && !data) return <ErrorMessage error={error} onRetry={refetch} />;
  if (!data) return <Loading label="Loading metrics" />;
  return columns.map(({ name }, index) => {
    const logged = data[index] ?? [];
    return (
      <StepChart
        key={name}
        title={name}
        steps={logged.map(({ step }) => step)}
        series={[{ name, values: logged.map(drawn) }]}
        group={`run-${runId}-${name}`}
      />
    );
  });
}

/** NaN and infinities are gaps. */
function drawn({ value }: Logged): number | null {
  const number = numberOf(value);
  return number !== null && Number.isFinite(number) ? number : null;
}
