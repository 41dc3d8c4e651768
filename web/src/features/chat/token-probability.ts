import styles from './token-probability.module.css';

/** The class that marks a token by how improbable it was; none for one that was nearly certain. */
export function probabilityMark(logprob: number | null | undefined): string {
  const probability = logprob == null ? 1 : Math.exp(logprob);
  if (probability >= 0.9) return '';
  return (probability >= 0.5 ? styles.likely : probability >= 0.1 ? styles.unlikely : styles.rare) ?? '';
}
