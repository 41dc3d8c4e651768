import { expect, test } from 'vitest';
import { currentPrices } from './current-prices.ts';
import { isNamed, pricedHardware, servedHardware } from './hardware-entry.ts';
import { loadPricedModels, type PricedModel } from './priced-model.ts';
import { pricedEntry, servedEntry } from './router-entry.ts';
import type { ServedModel } from './served-model.ts';

const provider = { id: 'shop', name: 'Shop' };
const model = (prices: PricedModel['prices']): PricedModel => ({
  provider,
  id: 'maker/model-7b',
  name: 'Model 7B',
  contextLength: 4096,
  prices,
});
const noon = new Date('2026-06-15T12:00:00Z');
const night = new Date('2026-06-15T23:30:00Z');

test('prices are told as decimal text for one token', () => {
  const priced = model({ input_mtok: 0.1, output_mtok: 12, cache_read_mtok: 0.0125, requests_kcount: 5 });
  expect(pricedEntry(priced, { amongMany: false, now: noon })).toEqual({
    id: 'maker/model-7b',
    name: 'Model 7B',
    context_length: 4096,
    pricing: { prompt: '0.0000001', completion: '0.000012', request: '0.005', input_cache_read: '0.0000000125' },
    datacenters: [],
  });
  expect(pricedEntry(priced, { amongMany: true, now: noon }).id).toBe('shop/maker/model-7b');
  expect(pricedEntry(model({ input_mtok: 0 }), { amongMany: true, now: noon }).pricing).toEqual({ prompt: '0' });
});

test('of prices with conditions the last one in force counts', () => {
  const later = { constraint: { type: 'start_date', start_date: '2026-06-16' } as const, prices: { input_mtok: 3 } };
  const since = { constraint: { type: 'start_date', start_date: '2026-06-15' } as const, prices: { input_mtok: 2 } };
  const first = { prices: { input_mtok: 1 } };
  expect(currentPrices(model([first, later]), noon).inputToken).toBe(1e-6);
  expect(currentPrices(model([first, since, later]), noon).inputToken).toBe(2e-6);
  const hours = (start: string, end: string) => [
    first,
    { constraint: { type: 'time_of_date', start_time: start, end_time: end } as const, prices: { input_mtok: 5 } },
  ];
  expect(currentPrices(model(hours('08:00:00Z', '16:30:00Z')), noon).inputToken).toBe(5e-6);
  expect(currentPrices(model(hours('08:00:00Z', '16:30:00Z')), night).inputToken).toBe(1e-6);
  expect(currentPrices(model(hours('22:00:00Z', '06:00:00Z')), night).inputToken).toBe(5e-6);
  expect(currentPrices(model(hours('22:00:00Z', '06:00:00Z')), noon).inputToken).toBe(1e-6);
  const tiers = { base: 1, tiers: [{ start: 200_000, price: 2 }] };
  expect(currentPrices(model({ input_mtok: tiers }), noon).inputToken).toBe(1e-6);
  expect(currentPrices(model({ input_mtok: 0.1 }), noon).inputToken).toBe(0.0000001);
});

test('hardware costs cents for a million tokens; a model that is not sold by the token has none', () => {
  expect(pricedHardware(model({ input_mtok: 0.07, output_mtok: 1.1 }), noon)).toEqual({
    id: 'shop',
    name: 'Shop',
    type: 'serverless',
    pricing: { cents_per_million_input_tokens: 7, cents_per_million_output_tokens: 110 },
    specs: {},
  });
  expect(pricedHardware(model({ audio_hours: 1 }), noon)).toBeNull();
});

test('a model goes by its name with and without its publisher', () => {
  const named = (name: string) => isNamed({ id: 'maker/Model-7b' }, name);
  expect(['model-7b', 'Model-7B', 'maker/model-7b', '7b', 'other/model-7b', ''].map(named)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('a model served here costs nothing', () => {
  const served: ServedModel = {
    id: 'maker/tiny',
    name: 'Tiny',
    huggingFaceId: null,
    createdAt: 1_700_000_000,
    contextLength: 2048,
    outputLengthMax: 1024,
    quantization: 'int8',
    samplingParameters: ['temperature'],
    features: ['tools'],
  };
  expect(servedEntry(served)).toMatchObject({
    id: 'maker/tiny',
    created: 1_700_000_000,
    context_length: 2048,
    max_output_length: 1024,
    quantization: 'int8',
    pricing: { prompt: '0', completion: '0' },
    datacenters: [],
  });
  expect(servedEntry(served)).not.toHaveProperty('hugging_face_id');
  expect(servedHardware(served)).toMatchObject({ type: 'serverless', pricing: { cents_per_million_input_tokens: 0 } });
});

test('the open price data know many providers, each with models that have ids and prices', async () => {
  const all = await loadPricedModels();
  expect(new Set(all.map((each) => each.provider.id)).size).toBeGreaterThan(20);
  expect(all.every(({ id, prices }) => id !== '' && typeof prices === 'object')).toBe(true);
  const priced = all.filter((each) => currentPrices(each, noon).inputToken !== null);
  expect(priced.length).toBeGreaterThan(500);
});
