import { formatCount } from '../../format/numbers.ts';
import styles from './QueueProgress.module.css';

/** How many of the items are done, as a bar and in numbers. */
export function QueueProgress({ done, total }: { done: number; total: number }) {
  const share = total === 0 ? 0 : (done / total) * 100;
  return (
    <span className={styles.progress}>
      <span className={styles.track} aria-hidden="true">
        <span className={styles.bar} style={{ width: `${share}%` }} />
      </span>
      <span className={styles.count}>
        {formatCount(done)} of {formatCount(total)}
      </span>
    </span>
  );
}
