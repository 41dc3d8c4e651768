import type { ReactNode } from 'react';
import { PageHeader } from './PageHeader.tsx';
import styles from './StartPage.module.css';

/** What a page shows while there is nothing to list: how the first of its things comes about. */
export function StartPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <PageHeader title={title} />
      <div className={styles.start}>{children}</div>
    </>
  );
}
