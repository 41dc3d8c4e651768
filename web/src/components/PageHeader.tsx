import type { ReactNode } from 'react';
import styles from './PageHeader.module.css';

/** The line at the top of a page: its title, what belongs to it, and its actions at the end. */
export function PageHeader({
  title,
  children,
  actions,
}: {
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <header className={styles.header}>
      <h1 className={styles.title}>{title}</h1>
      {children}
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}
