import type { Gate } from '../../api/gates.ts';
import { formatCount } from '../../format/numbers.ts';
import { formatAmount, metricTitle } from './metric-text.ts';

/** The verdict of a gate in words, or how far it is. */
export function headlineOf(gate: Gate): string {
  switch (gate.state) {
    case 'waiting':
      return 'Waiting to start';
    case 'running':
      return `No verdict yet: ${rowsText(gate.progress.rows_needed)} until a promotion, if the gain is the smallest that matters`;
    case 'failed':
      return 'The gate failed';
    case 'canceled':
      return 'Canceled without a verdict';
    case 'decided':
      return verdictText(gate);
    default:
      return gate.state satisfies never;
  }
}

function verdictText(gate: Gate): string {
  const { verdict, progress } = gate;
  switch (verdict) {
    case 'promote':
      return `Promote: ${metricTitle(gate.plan.target)} is better by ${gainText(gate)} on traffic like this suite`;
    case 'reject':
      return `Reject: ${progress.reasons.map(withoutStop).join('; ')}`;
    case 'not-enough-evidence':
      return `Not enough evidence: ${rowsText(progress.rows_needed)} ${progress.rows_needed === 1 ? 'is' : 'are'} needed`;
    case null:
      return 'Ended without a verdict';
    default:
      return verdict satisfies never;
  }
}

function gainText({ plan: { target }, progress: { target: estimate } }: Gate): string {
  const { lower, upper } = estimate;
  if (lower === null || upper === null) return 'an unknown amount';
  return [Math.max(0, lower), upper].map((end) => formatAmount(end, target)).join(' to ');
}

function rowsText(rows: number): string {
  if (rows === 0) return 'few more rows';
  return `about ${formatCount(rows)} more ${rows === 1 ? 'row' : 'rows'}`;
}

/** A reason as a part of a sentence. */
function withoutStop(reason: string): string {
  return reason.replace(/^The /, 'the ').replace(/\.$/, '');
}
