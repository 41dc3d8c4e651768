import type { ReactNode } from 'react';
import type { Gate } from '../../api/gates.ts';
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
      <dl className={styles.facts}>
        <Line name="Target">
          {metricTitle(target)}
          {rangeText(target)}, {target.better} is better
        </Line>
        <Line name="Smallest gain that matters">{formatAmount(target.gain, target)}</Line>
        {guardrails.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan may have two guardrails of one name, and never changes
          <Line key={index} name="Guardrail">
            {metricTitle(each)}
            {rangeText(each)}: worse by at most {formatAmount(each.margin, each)}
          </Line>
        ))}
        {watched.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan may watch a metric twice, and never changes
          <Line key={index} name="Watched">
            {metricTitle(each)}
            {rangeText(each)}: harm from {formatAmount(each.harm, each)}
          </Line>
        ))}
        <Line name="α of this candidate">{formatNumber(plan.alpha)}</Line>
        <Line name="Threads of the suite">{formatCount(plan.threads)}</Line>
        <Line name="Threads within the budget">{formatCount(plan.threadsMax)}</Line>
        <Line name="Most rows">{plan.rowsMax === null ? 'all of the suite' : formatCount(plan.rowsMax)}</Line>
        <Line name="Repeats">{formatCount(plan.repeats)}</Line>
        <Line name="Seed of the order">
          <code>{plan.seed}</code>
        </Line>
        <Line name="Evaluation">
          <RefLink value={evaluation} />
        </Line>
      </dl>
    </details>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
