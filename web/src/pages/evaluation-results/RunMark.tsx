import styles from './RunMark.module.css';

/** The letter that represents a run in the columns of a comparison. */
export function RunMark({ index }: { index: number }) {
  return <span className={`${styles.mark} ${styles[`run${(index % 6) + 1}`]}`}>{runLetter(index)}</span>;
}

/** A, B, … Z, AA, … */
export function runLetter(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : runLetter(Math.floor(index / 26) - 1) + last;
}
