import { useMemo } from 'react';
import { formatCount } from '../../format/numbers.ts';
import styles from './Diff.module.css';
import { diffLines, folded } from './line-diff.ts';

const linesMax = 2000;
const marks = { same: ' ', added: '+', removed: '−', skipped: ' ' };

type DiffProps = { label: string; before: string[]; after: string[] };

/** Two texts as lines, with what was removed and what was added. */
export function Diff({ label, before, after }: DiffProps) {
  const { lines, added, removed } = useDifference(before, after);
  return (
    <section aria-label={label}>
      <h3>
        {label}{' '}
        <span className={styles.note}>
          {added === 0 && removed === 0 ? 'no change' : `+${formatCount(added)} −${formatCount(removed)}`}
        </span>
      </h3>
      {(added > 0 || removed > 0) && <Lines lines={lines} />}
    </section>
  );
}

/** The same without a title. */
export function DiffLines({ before, after }: Omit<DiffProps, 'label'>) {
  return <Lines lines={useDifference(before, after).lines} />;
}

type Line = ReturnType<typeof diffLines>[number];

function useDifference(before: string[], after: string[]) {
  return useMemo(() => {
    const lines = diffLines(before, after);
    const count = (kind: Line['kind']) => lines.filter((line) => line.kind === kind).length;
    return { lines, added: count('added'), removed: count('removed') };
  }, [before, after]);
}

function Lines({ lines }: { lines: Line[] }) {
  const shown = folded(lines);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={styles.diff} tabIndex={0}>
        {shown.slice(0, linesMax).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
          <code key={index} className={`${styles.line} ${styles[line.kind]}`}>
            {marks[line.kind]} {line.text}
          </code>
        ))}
      </pre>
      {shown.length > linesMax && (
        <p className={styles.note}>{formatCount(shown.length - linesMax)} more lines are not shown.</p>
      )}
    </>
  );
}
