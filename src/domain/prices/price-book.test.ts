import { expect, test } from 'vitest';
import type { Price } from './price.ts';
import { openPriceBook, type ProjectPrice } from './price-book.ts';

const micros = (date: string) => Date.parse(date) * 1000;
const flat = (date: string, prompt: number) => ({
  ...{ prompt, completion: 0, cacheRead: 0, cacheCreation: 0, promptUnit: 'USD', completionUnit: 'USD' },
  ...{ providerId: 'default', effectiveDate: micros(date), createdBy: 'u', createdAt: 0 },
});
const byDefault = (date: string, prompt: number): Price => ({ ...flat(date, prompt), level: 'default' });
const own = (date: string, prompt: number, id = 'a', llmId = 'm'): ProjectPrice => ({
  ...flat(date, prompt),
  ...{ id, llmId, level: 'project' },
});
const boundaries = { times: [], secondsOfDay: [], promptTokens: [] };
const usage = (model: string) => ({ model, provider: '', input: 0, requests: 1 });
const at = (prices: ProjectPrice[], price: Price | null, date: string) =>
  openPriceBook(prices, { at: ({ model }) => (model === 'm' ? price : null), boundaries }).at(usage('m'), micros(date))
    ?.prompt;

test('uses the newest current price, or the newest future price if there is none [calls 127]', () => {
  const prices = [own('2023-01-01', 1), own('2025-01-01', 10)];
  expect(at(prices, null, '2024-01-01')).toBe(1);
  expect(at(prices, null, '2025-01-01')).toBe(10);
  expect(at(prices, null, '2022-01-01')).toBe(10);
});

test('uses a current default before a future price of the project [calls 128]', () => {
  expect(at([own('2025-01-01', 1)], byDefault('2020-01-01', 2), '2024-01-01')).toBe(2);
  expect(at([own('2023-01-01', 1)], byDefault('2023-06-01', 2), '2024-01-01')).toBe(1);
  expect(at([own('2025-01-01', 1)], byDefault('2026-01-01', 2), '2024-01-01')).toBe(1);
});

test('uses the price created later of two with one date', () => {
  const [a, b] = [own('2023-01-01', 1, 'a'), own('2023-01-01', 2, 'b')];
  expect(at([a, b], null, '2024-01-01')).toBe(2);
  expect(at([{ ...a, createdAt: 1 }, b], null, '2024-01-01')).toBe(1); // the clock of its process was behind
});

test('matches models by their exact names', () => {
  const book = openPriceBook([own('2023-01-01', 1)], { at: () => null, boundaries });
  expect(book.at(usage('M'), micros('2024-01-01'))).toBeNull();
});

test('prices may change where one of the project or a default starts', () => {
  const defaults = { at: () => null, boundaries: { ...boundaries, times: [micros('2025-01-01')] } };
  const book = openPriceBook([own('2026-01-01', 1), own('2024-01-01', 1), own('2024-01-01', 2)], defaults);
  expect(book.boundaries.times).toEqual(['2024-01-01', '2025-01-01', '2026-01-01'].map(micros));
});
