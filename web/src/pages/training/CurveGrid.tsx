import { StepChart } from '../../components/chart/StepChart.tsx';
import styles from './CurveGrid.module.css';
import type { Curves } from './curves.ts';

/** The curves that matter; the others open on demand. */
export function CurveGrid({ curves: { steps, main, others }, group }: { curves: Curves; group: string }) {
  const charts = (curves: Curves['main']) => (
    <div className={styles.grid}>
      {curves.map(({ title, series }) => (
        <StepChart key={title} title={title} steps={steps} series={series} group={group} />
      ))}
    </div>
  );
  return (
    <>
      {charts(main)}
      {others.length > 0 && (
        <details className={styles.others}>
          <summary>
            {others.length} more {others.length === 1 ? 'curve' : 'curves'}
          </summary>
          {charts(others)}
        </details>
      )}
    </>
  );
}
