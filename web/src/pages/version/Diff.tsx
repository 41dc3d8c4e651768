import { useMemo } from 'react';
import { formatCount } from '../../format/numbers.ts';
import { diffLines, folded } from './line-diff.ts';
import styles from './VersionPage.module.css';

const linesMax = 2000;
const marks = { same: ' ', added: '+', removed: '−', skipped: ' ' };

/** Two texts as lines, with what was removed and what was added. */
export function Diff({ label, before, after }: { label: string; before: string[]; after: string[] }) {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const [added, removed] = (['added', 'removed'] as const).map(
    (kind) => lines.filter((line) => line.kind === kind).length,
  );
  const shown = folded(lines);
  return (
    <section aria-label={label}>
      <h3>
        {label}{' '}
        <span className={styles.note}>
          {added === 0 && removed === 0 ? 'no change' : `+${formatCount(added!)} −${formatCount(removed!)}`}
        </span>
      </h3>
      {(added! > 0 || removed! > 0) && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre className={styles.diff} tabIndex={0}>
          {shown.slice(0, linesMax).map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
            <code key={index} className={`${styles.line} ${styles[line.kind]}`}>
              {marks[line.kind]} {line.text}
            </code>
          ))}
        </pre>
      )}
      {shown.length > linesMax && (
        <p className={styles.note}>{formatCount(shown.length - linesMax)} more lines are not shown.</p>
      )}
    </section>
  );
}
