import type { PolicyVersion } from '../../api/policies.ts';
import styles from './Shares.module.css';

/** The shares of the variants as a bar, the incumbent first and pale, with their numbers below. */
export function Shares({ version: { shares, incumbent } }: { version: Pick<PolicyVersion, 'shares' | 'incumbent'> }) {
  const others = Object.keys(shares).filter((name) => name !== incumbent);
  const shown = [incumbent, ...others].filter((name) => shares[name]! > 0);
  return (
    <div className={styles.shares}>
      <span className={styles.bar} aria-hidden="true">
        {shown.map((name) => (
          <span
            key={name}
            className={name === incumbent ? styles.incumbent : styles.other}
            style={{ flexGrow: shares[name], opacity: 1 - (0.6 * Math.max(0, others.indexOf(name))) / others.length }}
          />
        ))}
      </span>
      <span className={styles.text}>{shown.map((name) => `${name} ${percent(shares[name]!)}`).join(' · ')}</span>
    </div>
  );
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(2))} %`;
}
