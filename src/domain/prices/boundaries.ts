import type { ConditionalPrice, ModelPrice } from '@pydantic/genai-prices';
import { parseTimestamp } from '../../util/timestamp.ts';
import type { Micros } from '../calls/call-row.ts';
import { tierStarts } from './unit-price.ts';

/** Where a price may change: between two boundaries of each kind, all calls of a model at a provider have one price. */
export type PriceBoundaries = {
  times: Micros[];
  secondsOfDay: number[];
  /** Longer prompts than this. */
  promptTokens: number[];
};

/** The boundaries of all these models. */
export function boundariesOf(models: { prices: ModelPrice | ConditionalPrice[] }[]): PriceBoundaries {
  const entries = models.flatMap(({ prices }): ConditionalPrice[] => (Array.isArray(prices) ? prices : [{ prices }]));
  const constraints = entries.flatMap(({ constraint }) => constraint ?? []);
  return {
    times: sorted(constraints.flatMap((each) => (each.type === 'start_date' ? parseTimestamp(each.start_date)! : []))),
    secondsOfDay: sorted(
      constraints.flatMap((each) =>
        each.type === 'time_of_date' ? [secondsOf(each.start_time), secondsOf(each.end_time)] : [],
      ),
    ),
    promptTokens: sorted(entries.flatMap(({ prices }) => tierStarts(prices))),
  };
}

/** Without repetitions. */
export function sorted(numbers: number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function secondsOf(time: string): number {
  const [hours, minutes, seconds] = time.slice(0, 8).split(':').map(Number) as [number, number, number];
  return hours * 3600 + minutes * 60 + seconds;
}
