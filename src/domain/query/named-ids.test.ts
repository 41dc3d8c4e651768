import { expect, test } from 'vitest';
import { JsonText } from '../../util/json/json-text.ts';
import { namedIds } from './named-ids.ts';
import { parseQuery } from './parse-query.ts';

const ids = ($expr: unknown, takesIn = true) =>
  namedIds(parseQuery(new JsonText(JSON.stringify({ $expr }))), { takesIn });

const id = { $getField: 'id' };
const literal = ($literal: unknown) => ({ $literal });
const eq = (value: unknown) => ({ $eq: [id, literal(value)] });
const isIn = (...values: unknown[]) => ({ $in: [id, values.map(literal)] });

test('ids are named by $eq, by an $or of $eq, and by $in where it is taken', () => {
  expect(ids(eq('a'))).toEqual(['a']);
  expect(ids({ $or: [eq('a'), eq('b')] })).toEqual(['a', 'b']);
  expect(ids(isIn('a', 'b'))).toEqual(['a', 'b']);
  expect(ids(isIn('a', 'b'), false)).toBeNull();
});

test.each([
  ['another field', { $eq: [{ $getField: 'creator' }, literal('a')] }],
  ['another field in a list', { $in: [{ $getField: 'creator' }, [literal('a')]] }],
  ['an id that is not text', eq(1)],
  ['a list in which one id is not text', isIn('a', 1)],
  ['an empty list', isIn()],
  ['swapped operands', { $eq: [literal('a'), id] }],
  ['a comparison', { $gt: [id, literal('a')] }],
  ['a junction of one', { $and: [eq('a')] }],
  ['an $or with something else', { $or: [eq('a'), { $not: [eq('b')] }] }],
  ['an $or of $in', { $or: [isIn('a')] }],
])('a query names no ids by %s', (_name, $expr) => {
  expect(ids($expr)).toBeNull();
});
