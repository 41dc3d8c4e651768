import type { ReactNode } from 'react';
import styles from './Fold.module.css';

type FoldProps = {
  summary: string;
  isOpen?: boolean | undefined;
  children: ReactNode;
};

/** Fields that are rarely changed. The summary says what they are set to. */
export function Fold({ summary, isOpen, children }: FoldProps) {
  return (
    <details className={styles.fold} open={isOpen}>
      <summary className={styles.summary}>{summary}</summary>
      <div className={styles.content}>{children}</div>
    </details>
  );
}
