import type { ReactNode } from 'react';
import styles from './Facts.module.css';

/** Names and values in a line, such as a duration and a cost. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>;
}

export function Fact({ name, title, children }: { name: string; title?: string; children: ReactNode }) {
  return (
    <div className={styles.fact} title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
