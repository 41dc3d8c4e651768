import type { Gate } from '../../api/gates.ts';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import styles from './GatePage.module.css';

/** What this candidate got of the suite's α, and what is left of it. */
export function SuiteUse({ gate: { suite, number, plan, suite_use: use } }: { gate: Gate }) {
  const { candidates_left: left } = use;
  return (
    <section className={styles.section} aria-labelledby="suite-use">
      <h2 id="suite-use">The suite</h2>
      <p>
        This is candidate {formatCount(number)} of {suite}. It is tested at α = {formatNumber(plan.alpha)}, its part of
        the {formatNumber(use.alpha)} that all candidates of the suite share.
        {left !== null && left > 0 && ` If none is promoted, the suite can decide ${candidatesText(left)}.`}
      </p>
      {left === 0 && (
        <p className={styles.due}>
          The suite cannot decide another candidate: fresh rows are due. Freeze a new suite of rows that no candidate
          has answered.
        </p>
      )}
    </section>
  );
}

function candidatesText(count: number): string {
  if (count >= countedMax) return `${formatCount(count)} or more further candidates`;
  return `${formatCount(count)} more ${count === 1 ? 'candidate' : 'candidates'}`;
}

/** The server counts no further. */
const countedMax = 1000;
