import { expect, test } from 'vitest';
import { openPriceBook, type Price, type ProjectPrice } from './price-book.ts';

const micros = (date: string) => Date.parse(date) * 1000;
const price = (date: string, prompt: number, level: Price['level'] = 'default'): Price => ({
  ...{ prompt, completion: 0, cacheRead: 0, cacheCreation: 0, promptUnit: 'USD', completionUnit: 'USD', level },
  ...{ providerId: 'default', effectiveDate: micros(date), createdBy: 'u', createdAt: 0 },
});
const own = (date: string, prompt: number, id = 'a', llmId = 'm'): ProjectPrice => ({
  ...price(date, prompt, 'project'),
  ...{ id, llmId },
});
const at = (prices: ProjectPrice[], defaults: Price[], date: string) =>
  openPriceBook(prices, (model) => (model === 'm' ? defaults : [])).at('m', micros(date))?.prompt;

test('uses the newest current price, or the newest future price if there is none [calls 127]', () => {
  const prices = [own('2023-01-01', 1), own('2025-01-01', 10)];
  expect(at(prices, [], '2024-01-01')).toBe(1);
  expect(at(prices, [], '2025-01-01')).toBe(10);
  expect(at(prices, [], '2022-01-01')).toBe(10);
});

test('uses a current default before a future price of the project [calls 128]', () => {
  expect(at([own('2025-01-01', 1)], [price('2020-01-01', 2)], '2024-01-01')).toBe(2);
  expect(at([own('2023-01-01', 1)], [price('2023-06-01', 2)], '2024-01-01')).toBe(1);
  expect(at([own('2025-01-01', 1)], [price('2026-01-01', 2)], '2024-01-01')).toBe(1);
});

test('uses the price created later of two with one date', () => {
  expect(at([own('2023-01-01', 1, 'a'), own('2023-01-01', 2, 'b')], [], '2024-01-01')).toBe(2);
});

test('matches models by their exact names', () => {
  const book = openPriceBook([own('2023-01-01', 1)], () => []);
  expect(book.at('M', micros('2024-01-01'))).toBeNull();
  expect(book.current('other')).toBeNull();
});

test("the current price is the project's newest, else the newest default", () => {
  const defaults = [price('2020-01-01', 2), price('2021-01-01', 3)];
  expect(openPriceBook([], () => defaults).current('m')?.prompt).toBe(3);
  expect(openPriceBook([own('2019-01-01', 1), own('2018-01-01', 4)], () => defaults).current('m')?.prompt).toBe(1);
});
