import { expect, test } from 'vitest';
import { z } from 'zod';
import { ValidationError } from '../util/failures.ts';
import { findingsMax } from './bound-findings.ts';
import { validate } from './validate.ts';

function detailsOf(schema: z.ZodType, value: unknown) {
  try {
    validate(schema, value, 'body');
  } catch (error) {
    if (error instanceof ValidationError) return error.detail;
    throw error;
  }
  return [];
}

test.each<[string, z.ZodType, unknown, (string | number)[]]>([
  ['an array', z.object({ a: z.array(z.string()) }), { a: Array(1_000_000).fill(1) }, ['body', 'a', 99]],
  ['arrays in arrays', z.array(z.array(z.string())), Array(1000).fill(Array(1000).fill(1)), ['body', 0, 99]],
  [
    'a record',
    z.record(z.string(), z.string()),
    Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, 1])),
    ['body', 'k99'],
  ],
  [
    'an array with checks behind a pipe',
    z
      .array(z.string())
      .min(1)
      .nullable()
      .default(null)
      .transform((all) => all?.length),
    Array(300_000).fill(null),
    ['body', 99],
  ],
  [
    'unknown keys',
    z.strictObject({}),
    Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, 1])),
    ['body', 'k99'],
  ],
])('reports the first hundred findings in %s', (_name, schema, value, last) => {
  const details = detailsOf(schema, value);
  expect(details).toHaveLength(findingsMax);
  expect(details.at(-1)!.loc).toEqual(last);
});

test('does not look at the elements after the last finding that it reports', () => {
  let looked = 0;
  const element = z.unknown().refine(() => {
    looked++;
    return false;
  });
  expect(detailsOf(z.array(element), Array(100_000).fill(1))).toHaveLength(findingsMax);
  expect(looked).toBeLessThan(2 * findingsMax);
});

test('finds the one wrong element at the end of a large array', () => {
  const elements: unknown[] = Array(100_000).fill('a');
  elements.push(5);
  expect(detailsOf(z.array(z.string()), elements)).toMatchObject([{ loc: ['body', 100_000], input: 5 }]);
});

test('takes a large array that the first option of a union refuses', () => {
  const schema = z.union([z.array(z.number()), z.array(z.string())]);
  const value = Array(1000).fill('a');
  expect(validate(schema, value, 'body')).toEqual(value);
});

test('keeps the transformed elements of large arrays and records, in order', () => {
  const schema = z.object({ list: z.array(z.string().transform(Number)), map: z.record(z.string(), z.number()) });
  const list = Array.from({ length: 1000 }, (_, i) => i);
  const map = Object.fromEntries(list.map((i) => [`k${i}`, i]));
  expect(validate(schema, { list: list.map(String), map }, 'body')).toEqual({ list, map });
});

test('shortens long keys and values in its report', () => {
  const long = 'x'.repeat(100_000);
  const [detail] = detailsOf(z.record(z.string(), z.number()), { [long]: long });
  expect(JSON.stringify(detail).length).toBeLessThan(1000);
});
