import { describe, expect, test } from 'vitest';
import type { Price } from '../prices/price-book.ts';
import { type MeasuredUsage, usageBucketsJson } from './buckets-json.ts';
import { type CostMetric, usagePlan } from './usage-plan.ts';

const price = { prompt: 1, completion: 2, cacheRead: 0.5, cacheCreation: 3 } as Price;
const prices = { at: () => null, current: (model: string) => (model === 'priced' ? price : null) };

const tokens = {
  sum_input_tokens: 110,
  sum_output_tokens: 5,
  sum_cache_read_input_tokens: 20,
  sum_cache_creation_input_tokens: 10,
};

function rowsFor(metrics: CostMetric[], models: string[]): unknown[] {
  const plan = usagePlan(metrics.map((metric) => ({ metric, aggregations: ['avg'], percentiles: [50] })));
  const measured = models.map((model): MeasuredUsage => ({ bucket: 0, model, count: 2, ...tokens }));
  return usageBucketsJson(['first', 'second'], { plan, measured, prices });
}

describe('costs', () => {
  test('use all four sums of tokens [calls 114]', () => {
    const [first, second] = rowsFor(['total_cost', 'input_cost', 'output_cost'], ['priced']);
    const sums = { sum_input_tokens: 110, sum_output_tokens: 5 };
    const costs = { sum_input_cost: 80, sum_output_cost: 10, sum_total_cost: 130 };
    expect(first).toEqual({ timestamp: 'first', model: 'priced', ...sums, ...costs, count: 2 });
    const zeros = { sum_input_cost: 0, sum_output_cost: 0, sum_total_cost: 0 };
    const none = { sum_input_tokens: 0, sum_output_tokens: 0, ...zeros, count: 0 };
    expect(second).toEqual({ timestamp: 'second', model: 'priced', ...none });
  });

  test('include the token counts they are computed from [calls 114]', () => {
    expect(rowsFor(['input_cost'], ['priced'])[0]).toEqual({
      ...{ timestamp: 'first', model: 'priced', sum_input_tokens: 110, sum_input_cost: 80, count: 2 },
    });
    expect(rowsFor(['output_cost'], ['priced'])[0]).toEqual({
      ...{ timestamp: 'first', model: 'priced', sum_output_tokens: 5, sum_output_cost: 10, count: 2 },
    });
  });

  test('are 0 for a model without a price [calls 114]', () => {
    const rows = rowsFor(['total_cost'], ['priced', 'unknown']);
    expect(rows).toMatchObject([{ sum_total_cost: 130 }, { sum_total_cost: 0 }, {}, {}]);
  });
});

test('a cost does not need the requested sum of its tokens', () => {
  const plan = usagePlan([
    { metric: 'input_tokens', aggregations: ['max'], percentiles: [] },
    { metric: 'input_cost', aggregations: ['sum'], percentiles: [] },
  ]);
  const measured = [{ bucket: 0, model: 'priced', count: 1, max_input_tokens: 110, ...tokens }];
  expect(usageBucketsJson(['first'], { plan, measured, prices })).toEqual([
    {
      ...{ timestamp: 'first', model: 'priced', max_input_tokens: 110, sum_input_tokens: 110 },
      ...{ sum_input_cost: 80, count: 1 },
    },
  ]);
});

test('requests without costs measure only the requested metrics', () => {
  const plan = usagePlan([{ metric: 'total_tokens', aggregations: ['sum'], percentiles: [] }]);
  expect(plan.measured).toEqual([{ metric: 'total_tokens', aggregations: ['sum'], percentiles: [] }]);
});
