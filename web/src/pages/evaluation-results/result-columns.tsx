import type { ResultRow } from '../../api/evaluations.ts';
import type { TableColumn } from '../../components/DataTable.tsx';
import { numberOf } from '../../format/json.ts';
import { formatNumber } from '../../format/numbers.ts';
import { previewOf } from '../../format/preview.ts';
import { differs, type Metric, rowScore, trialsOf } from './metrics.ts';
import styles from './ResultsPage.module.css';
import { RunMark, runLetter } from './RunMark.tsx';

/** The example, what each run answered, and each metric with the values of all runs beside each other. */
export function resultColumns(runIds: string[], metrics: Metric[]): TableColumn<ResultRow>[] {
  const isCompared = runIds.length > 1;
  return [
    {
      id: 'example',
      title: 'Example',
      width: 260,
      cell: (row) => <span>{previewOf(row.raw_data_row)}</span>,
    },
    ...metrics.map(
      (metric): TableColumn<ResultRow> => ({
        id: `score ${metric.key}`,
        title: metric.title,
        width: isCompared ? 48 + 72 * Math.min(runIds.length, 4) : 120,
        cell: (row) => <Scores row={row} runIds={runIds} metric={metric} />,
      }),
    ),
    ...runIds.map(
      (id, index): TableColumn<ResultRow> => ({
        id: isCompared ? `output ${runLetter(index)}` : 'output',
        title: isCompared ? (
          <>
            Output <RunMark index={index} />
          </>
        ) : (
          'Output'
        ),
        width: 220,
        cell: (row) => <Output row={row} runId={id} />,
      }),
    ),
  ];
}

function Scores({ row, runIds, metric }: { row: ResultRow; runIds: string[]; metric: Metric }) {
  const isDifferent = differs(row, runIds, [metric]);
  return (
    <span className={`${styles.scores} ${isDifferent ? styles.different : ''}`}>
      {runIds.map((id, index) => (
        <span key={id} className={styles.one}>
          {runIds.length > 1 && <RunMark index={index} />}
          <ScoreValue value={rowScore(row, id, metric)} />
        </span>
      ))}
      {isDifferent && (
        <span className={styles.unequal} role="img" aria-label="differs" title="The runs differ">
          ≠
        </span>
      )}
    </span>
  );
}

export function ScoreValue({ value }: { value: unknown }) {
  if (value === true) return <span className={styles.true}>✓ true</span>;
  if (value === false) return <span className={styles.false}>✗ false</span>;
  if (value === null || value === undefined) return <span className={styles.none}>–</span>;
  const number = numberOf(value);
  return <span className={styles.text}>{number === null ? previewOf(value) : formatNumber(number)}</span>;
}

function Output({ row, runId }: { row: ResultRow; runId: string }) {
  const trials = trialsOf(row, runId);
  if (trials.length === 0) return <span className={styles.none}>not run</span>;
  const [first] = trials;
  const text = previewOf(first!.model_output);
  return (
    <>
      {text === '' ? <span className={styles.none}>no output</span> : <span>{text}</span>}
      {trials.length > 1 && <span className={styles.none}>1 of {trials.length}</span>}
    </>
  );
}
