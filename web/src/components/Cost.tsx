import type { Unpriced } from '../format/call.ts';
import { formatCost } from '../format/numbers.ts';

/** A cost, marked where more may have been paid: some of its tokens have no known price. */
export function Cost({ cost, unpriced }: { cost: number | null; unpriced: Unpriced }) {
  return <span title={costNote(unpriced)}>{costText(cost, unpriced)}</span>;
}

export function costText(cost: number | null, { models, isAtLeast }: Unpriced): string {
  if (!isAtLeast) return cost === null ? '' : formatCost(cost);
  if (cost === null || (cost === 0 && models.length > 0)) return 'no price';
  return `at least ${formatCost(cost)}`;
}

function costNote({ models, isAtLeast }: Unpriced): string | undefined {
  if (models.length > 0) return `No price is known for ${models.join(', ')}`;
  return isAtLeast
    ? 'More may have been paid: the length of the prompts, or a count of tokens, is not known'
    : undefined;
}
