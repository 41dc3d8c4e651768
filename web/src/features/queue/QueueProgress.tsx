import { formatCount } from '../../format/numbers.ts';
import { ShareBar } from '../../ui/ShareBar.tsx';
import styles from './QueueProgress.module.css';

/** How many of the items are done, as a bar and in numbers. */
export function QueueProgress({ done, total }: { done: number; total: number }) {
  return (
    <span className={styles.progress}>
      <ShareBar share={total === 0 ? 0 : done / total} width={90} />
      <span className={styles.count}>
        {formatCount(done)} of {formatCount(total)}
      </span>
    </span>
  );
}
