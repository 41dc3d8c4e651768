import type { ReactNode } from 'react';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import styles from './Section.module.css';

type SectionProps = {
  title: string;
  /** What it is for, in a sentence or two. */
  description: ReactNode;
  action?: ReactNode;
  children: ReactNode;
};

/** The frame of a tab: what it is for and its main action, above a list. */
export function Section({ title, description, action, children }: SectionProps) {
  return (
    <section className={styles.section} aria-label={title}>
      <header className={styles.head}>
        <p className={styles.description}>{description}</p>
        {action}
      </header>
      {children}
    </section>
  );
}

type ListState<Item> = { data: Item[] | undefined; error: Error | null; refetch: () => unknown };

/** A list that is loading, could not be loaded, is empty, or is shown by `children`. */
export function ListOf<Item>({
  query: { data, error, refetch },
  label,
  empty,
  children,
}: {
  query: ListState<Item>;
  label: string;
  empty: ReactNode;
  children: (items: Item[]) => ReactNode;
}) {
  if (!data) return error ? <ErrorMessage error={error} onRetry={refetch} /> : <Loading label={`Loading ${label}`} />;
  return data.length === 0 ? empty : <div className={styles.list}>{children(data)}</div>;
}
