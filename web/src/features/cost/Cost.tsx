import type { Unpriced } from '../../api/call-fields.ts';
import { formatCost } from '../../format/numbers.ts';

/** A cost, marked where more or less may have been paid: some of its tokens have no known price. */
export function Cost({ cost, unpriced }: { cost: number | null; unpriced: Unpriced }) {
  return <span title={costNote(unpriced)}>{costText(cost, unpriced)}</span>;
}

export function costText(cost: number | null, { models, isAtLeast, isEstimate }: Unpriced): string {
  if (!isAtLeast && !isEstimate) return cost === null ? '' : formatCost(cost);
  if (cost === null || (cost === 0 && models.length > 0)) return 'no price';
  return `${isEstimate ? 'about' : 'at least'} ${formatCost(cost)}`;
}

function costNote({ models, isAtLeast, isEstimate }: Unpriced): string | undefined {
  if (models.length > 0) return `No price is known for ${models.join(', ')}`;
  if (isEstimate) return 'Less may have been paid: the price of the service tier of some requests is not known';
  return isAtLeast
    ? 'More may have been paid: a price, the length of the prompts, or a count of tokens is not known'
    : undefined;
}
