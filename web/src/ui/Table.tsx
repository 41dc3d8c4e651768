import type { ReactNode } from 'react';
import styles from './Table.module.css';

type TableProps = {
  label: string;
  /** The rows, in `thead` and `tbody`. Cells with `data-align="end"` contain numbers. */
  children: ReactNode;
  /** Of the frame in which the table scrolls. */
  className?: string | undefined;
};

/** A table that is as long as its content. Long lists are a `DataTable`. */
export function Table({ label, children, className = '' }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className={`${styles.frame} ${className}`} tabIndex={0}>
      <table className={styles.table} aria-label={label}>
        {children}
      </table>
    </div>
  );
}
