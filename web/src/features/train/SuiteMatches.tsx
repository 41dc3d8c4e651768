import { formatCount } from '../../format/numbers.ts';
import styles from './TrainDialog.module.css';
import type { Preview } from './training-plan.ts';

type SuiteMatchesProps = {
  found: Pick<Preview['found'], 'suite_rows_found' | 'suite_matches'>;
  isAllowed: boolean;
  onAllow: (isAllowed: boolean) => void;
};

const shownMax = 10;

/** The rows of suites that the training data matches, and whether to train on them. */
export function SuiteMatches({ found, isAllowed, onAllow }: SuiteMatchesProps) {
  const { suite_rows_found: count, suite_matches: matches } = found;
  return (
    <section aria-label="Rows of suites">
      <p className={styles.warning} role="alert">
        {`${formatCount(count)} ${count === 1 ? 'row matches' : 'rows match'} rows of suites, on which models are tested. `}
        Select other calls, or allow it: the models are then compared without these rows.
      </p>
      <ul>
        {matches.slice(0, shownMax).map(({ suite, row, kind, line, call_id }) => (
          <li key={`${suite} ${row}`}>
            {`${line == null ? '' : `Row ${line}`}${call_id == null ? '' : ` (call ${call_id})`}: ${kindTexts[kind]} row ${row} of ${suite}`}
          </li>
        ))}
      </ul>
      <label className={styles.check}>
        <input type="checkbox" checked={isAllowed} onChange={({ target }) => onAllow(target.checked)} />
        Train on rows of suites too
      </label>
    </section>
  );
}

const kindTexts = {
  exact: 'a copy of',
  near: 'nearly a copy of',
  contained: 'contains',
  sibling: 'of the same trace, thread or user as',
} as const;
