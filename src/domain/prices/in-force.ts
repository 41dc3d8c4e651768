import type { ConditionalPrice, ModelPrice } from '@pydantic/genai-prices';

/** The entry of a model's prices that applies at a time: the last one whose condition is true; the first mostly has none. */
export function entryInForce(prices: ModelPrice | ConditionalPrice[], at: Date): ConditionalPrice | undefined {
  if (!Array.isArray(prices)) return { prices };
  return prices.findLast(({ constraint }) => holds(constraint, at.toISOString()));
}

function holds(constraint: ConditionalPrice['constraint'], at: string): boolean {
  if (!constraint) return true;
  if (constraint.type === 'start_date') return constraint.start_date <= at.slice(0, 10);
  const [start, time, end] = [constraint.start_time.slice(0, 8), at.slice(11, 19), constraint.end_time.slice(0, 8)];
  const [isAfterStart, isBeforeEnd] = [start <= time, time < end];
  return start <= end ? isAfterStart && isBeforeEnd : isAfterStart || isBeforeEnd; // the hours may include midnight
}
