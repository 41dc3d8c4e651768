import type { ReactNode } from 'react';
import styles from './ErrorNote.module.css';

/** Why something failed, where it happened. Announced, unless the page shows it from the start. */
export function ErrorNote({ children, isAnnounced = true }: { children: ReactNode; isAnnounced?: boolean }) {
  return (
    <p className={styles.error} role={isAnnounced ? 'alert' : undefined}>
      {children}
    </p>
  );
}
