import { describe, expect, test } from 'vitest';
import type { Price } from '../prices/price.ts';
import { usageBucketsJson } from './buckets-json.ts';
import { areSums, chargesOf, type PricedSums, sumsOfCharges } from './charges.ts';
import type { CostMetric } from './metrics.ts';
import { usagePlan } from './usage-plan.ts';

const price = { prompt: 1, completion: 2, cacheRead: 0.5, cacheCreation: 3 } as Price;
const boundaries = { times: [], secondsOfDay: [], promptTokens: [] };
const prices = { at: ({ model }: { model: string }) => (model === 'priced' ? price : null), boundaries };

const sumsOf = (model: string, provider = ''): PricedSums => ({
  ...{ bucket: 0, model, provider, count: 2, startedAt: 0, longestInput: 110, mostRequests: 1, requests: 2 },
  ...{ pricedInput: 110, ofUnknownKind: 0, parts: {}, sum_input_tokens: 110, sum_output_tokens: 5 },
  ...{ sum_total_tokens: 115, sum_cache_read_input_tokens: 20, sum_cache_creation_input_tokens: 10 },
});

function rowsFor(metrics: CostMetric[], sums: PricedSums[]): unknown[] {
  const plan = usagePlan(metrics.map((metric) => ({ metric, aggregations: ['avg'], percentiles: [50] })));
  expect(areSums(plan.shown)).toBe(true);
  const charges = sums.map((each) => chargesOf(each, prices));
  return usageBucketsJson(['first', 'second'], { plan, measured: sumsOfCharges(sums), charges });
}

const exact = { unpriced_tokens: 0, is_at_least: false, is_estimate: false };

describe('costs', () => {
  test('use all four sums of tokens [calls 114]', () => {
    const [first, second] = rowsFor(['total_cost', 'input_cost', 'output_cost'], [sumsOf('priced')]);
    const sums = { sum_input_tokens: 110, sum_output_tokens: 5 };
    const costs = { sum_input_cost: 80, sum_output_cost: 10, sum_total_cost: 130 };
    expect(first).toEqual({ timestamp: 'first', model: 'priced', ...sums, ...costs, ...exact, count: 2 });
    const zeros = { sum_input_cost: 0, sum_output_cost: 0, sum_total_cost: 0 };
    const none = { sum_input_tokens: 0, sum_output_tokens: 0, ...zeros, ...exact, count: 0 };
    expect(second).toEqual({ timestamp: 'second', model: 'priced', ...none });
  });

  test('include the token counts they are computed from [calls 114]', () => {
    expect(rowsFor(['input_cost'], [sumsOf('priced')])[0]).toEqual({
      ...{ timestamp: 'first', model: 'priced', sum_input_tokens: 110, sum_input_cost: 80, ...exact, count: 2 },
    });
    expect(rowsFor(['output_cost'], [sumsOf('priced')])[0]).toEqual({
      ...{ timestamp: 'first', model: 'priced', sum_output_tokens: 5, sum_output_cost: 10, ...exact, count: 2 },
    });
  });

  test('are 0 for a model without a price, whose tokens are counted as such [calls 114]', () => {
    expect(rowsFor(['total_cost'], [sumsOf('priced'), sumsOf('unknown')])).toMatchObject([
      { sum_total_cost: 130, ...exact },
      { sum_total_cost: 0, unpriced_tokens: 115, is_at_least: true },
      ...[exact, exact],
    ]);
  });

  test('of tokens that are priced apart are added up', () => {
    const [row] = rowsFor(['total_cost'], [sumsOf('priced', 'a'), sumsOf('priced', 'b')]);
    expect(row).toMatchObject({ sum_input_tokens: 220, sum_total_cost: 260, count: 4 });
  });
});

test('aggregates other than sums are measured apart from costs', () => {
  const plan = usagePlan([
    { metric: 'input_tokens', aggregations: ['max'], percentiles: [] },
    { metric: 'input_cost', aggregations: ['sum'], percentiles: [] },
  ]);
  expect(areSums(plan.shown)).toBe(false);
  const measured = [{ bucket: 0, model: 'priced', count: 1, max_input_tokens: 110, sum_input_tokens: 110 }];
  expect(usageBucketsJson(['first'], { plan, measured, charges: [chargesOf(sumsOf('priced'), prices)] })).toEqual([
    {
      ...{ timestamp: 'first', model: 'priced', max_input_tokens: 110, sum_input_tokens: 110 },
      ...{ sum_input_cost: 80, ...exact, count: 1 },
    },
  ]);
});

test('requests without costs measure only the requested metrics', () => {
  const plan = usagePlan([{ metric: 'total_tokens', aggregations: ['sum'], percentiles: [] }]);
  expect(plan.shown).toEqual([{ metric: 'total_tokens', aggregations: ['sum'], percentiles: [] }]);
});
