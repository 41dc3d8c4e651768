import styles from './ShareBar.module.css';

/** A share from 0 to 1 as a bar, beside the number that it shows. */
export function ShareBar({ share, width }: { share: number; width: number }) {
  return (
    <span className={styles.track} style={{ width }} aria-hidden="true">
      <span className={styles.bar} style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }} />
    </span>
  );
}
