import { expect, test } from 'vitest';
import { loadDefaultPrices } from './default-prices.ts';

const pricesOf = await loadDefaultPrices();

test.each([
  ['gpt-4o', 'openai', 0.0000025, 0.00001],
  ['gpt-4o-2024-08-06', 'openai', 0.0000025, 0.00001],
  ['gpt-4o-mini', 'openai', 0.00000015, 0.0000006],
  ['claude-sonnet-4-20250514', 'anthropic', 0.000003, 0.000015],
  ['openai/gpt-4o', 'openai', 0.0000025, 0.00001],
  ['groq/llama-3.3-70b-versatile', 'groq', 0.00000059, 0.00000079],
])('%s has the price of a token at %s', (model, providerId, prompt, completion) => {
  const price = { providerId, prompt, completion, level: 'default', promptUnit: 'USD', effectiveDate: 0 };
  expect(pricesOf(model)).toMatchObject([price]);
});

test.each(['', 'toy-1', 'my-gpt-4o', 'ft:gpt-4o-2024-08-06:org::id', 'usage', `gpt-4o${'x'.repeat(1e6)}`])(
  'a model no rule knows has no price: %.30s',
  (model) => {
    expect(pricesOf(model)).toEqual([]);
  },
);

test('of tiers the base counts, and a price from a date on has that date', () => {
  expect(pricesOf('gemini-2.5-pro')).toMatchObject([{ prompt: 0.00000125, completion: 0.00001 }]);
  const dates = pricesOf('o3').map(({ effectiveDate }) => effectiveDate);
  expect(dates).toEqual([0, Date.UTC(2025, 5, 10) * 1000]);
});

test('prices that hold at certain hours only are left out', () => {
  expect(pricesOf('deepseek-chat')).toHaveLength(1);
});

test('cached tokens without a price of their own cost what others do', () => {
  expect(pricesOf('mistral-large-latest')).toMatchObject([
    { prompt: 0.000002, cacheRead: 0.000002, cacheCreation: 0.000002 },
  ]);
  expect(pricesOf('gpt-4o')).toMatchObject([{ cacheRead: 0.00000125, cacheCreation: 0.0000025 }]);
});

test('models are found by the names of Bedrock, with a region or without, and by those of Gemini', () => {
  const [own] = pricesOf('claude-3-5-haiku-20241022');
  for (const name of ['anthropic.claude-3-5-haiku-20241022-v1:0', 'us.anthropic.claude-3-5-haiku-20241022-v1:0']) {
    expect(pricesOf(name)[0]).toMatchObject({ prompt: own!.prompt, completion: own!.completion });
  }
  expect(pricesOf('models/gemini-2.5-flash')).toEqual(pricesOf('gemini-2.5-flash'));
  expect(pricesOf('my.own-model')).toEqual([]);
});
