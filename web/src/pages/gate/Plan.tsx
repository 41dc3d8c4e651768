import type { Gate } from '../../api/gates.ts';
import { FactLine, FactList } from '../../components/FactList.tsx';
import { RefLink } from '../../features/RefLink.tsx';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import styles from './GatePage.module.css';
import { formatAmount, metricTitle, rangeText } from './metric-text.ts';

/** What was stored before the first answer. */
export function Plan({ gate: { plan, evaluation } }: { gate: Gate }) {
  const { target, guardrails, watched } = plan;
  return (
    <details className={styles.plan}>
      <summary>Plan</summary>
      <FactList>
        <FactLine name="Target">
          {metricTitle(target)}
          {rangeText(target)}, {target.better} is better
        </FactLine>
        <FactLine name="Smallest gain that matters">{formatAmount(target.gain, target)}</FactLine>
        {guardrails.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan may have two guardrails of one name, and never changes
          <FactLine key={index} name="Guardrail">
            {metricTitle(each)}
            {rangeText(each)}: worse by at most {formatAmount(each.margin, each)}
          </FactLine>
        ))}
        {watched.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan may watch a metric twice, and never changes
          <FactLine key={index} name="Watched">
            {metricTitle(each)}
            {rangeText(each)}: harm from {formatAmount(each.harm, each)}
          </FactLine>
        ))}
        <FactLine name="α of this candidate">{formatNumber(plan.alpha)}</FactLine>
        <FactLine name="Threads of the suite">{formatCount(plan.threads)}</FactLine>
        <FactLine name="Threads within the budget">{formatCount(plan.threadsMax)}</FactLine>
        <FactLine name="Most rows">{plan.rowsMax === null ? 'all of the suite' : formatCount(plan.rowsMax)}</FactLine>
        <FactLine name="Repeats">{formatCount(plan.repeats)}</FactLine>
        <FactLine name="Seed of the order">
          <code>{plan.seed}</code>
        </FactLine>
        <FactLine name="Evaluation">
          <RefLink value={evaluation} />
        </FactLine>
      </FactList>
    </details>
  );
}
