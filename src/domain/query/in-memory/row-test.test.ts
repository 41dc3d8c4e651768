import { expect, test } from 'vitest';
import { JsonText } from '../../../util/json/json-text.ts';
import { parseQuery } from '../parse-query.ts';
import type { RowField } from './row-field.ts';
import { rowTest } from './row-test.ts';

type Row = { t: string | null; n: number | null; at: number };
const rows: Row[] = [
  { t: 'a', n: 1, at: Date.UTC(2024, 0, 1) * 1000 },
  { t: 'B1', n: 5.5, at: Date.UTC(2025, 0, 1) * 1000 },
  { t: '\u{1F600}', n: null, at: Date.UTC(2025, 0, 1, 0, 0, 1) * 1000 },
  { t: null, n: 0, at: 0 },
];
const fields: Record<string, RowField<Row>> = {
  t: { kind: 'text', read: ({ t }) => t },
  n: { kind: 'number', read: ({ n }) => n },
  at: { kind: 'time', read: ({ at }) => at },
};

/** The places of the rows that an expression, given as JSON text, chooses. */
function chosen(expression: string): number[] {
  const text = expression.replace(/\b(t|n|at)\b(?=[,\]}])/g, '{"$getField":"$1"}');
  const matches = rowTest<Row>(parseQuery(new JsonText(`{"$expr":${text}}`)), (path) => fields[path]!);
  return rows.flatMap((row, index) => (matches(row) ? [index] : []));
}

const lit = (value: unknown) => `{"$literal":${JSON.stringify(value)}}`;

test.each([
  [`{"$eq":[t,${lit('a')}]}`, [0]],
  [`{"$eq":[${lit('1')},${lit('1')}]}`, [0, 1, 2, 3]],
  [`{"$eq":[t,${lit(null)}]}`, [3]],
  [`{"$not":[{"$eq":[t,${lit(null)}]}]}`, [0, 1, 2]],
  [`{"$eq":[${lit(null)},t]}`, []],
  [`{"$gt":[n,${lit(null)}]}`, []],
  [`{"$not":[{"$eq":[n,${lit(1)}]}]}`, [1, 3]],
  [`{"$gt":[n,${lit(1)}]}`, [1]],
  [`{"$gte":[n,${lit('1')}]}`, [0, 1]],
  [`{"$lt":[${lit(1)},n]}`, [1]],
  ['{"$lt":[n,{"$literal":123456789012345678901234567890}]}', [0, 1, 3]],
  [`{"$eq":[n,${lit(true)}]}`, [0]],
  [`{"$gt":[t,${lit('\uFFFD')}]}`, [2]],
  [`{"$gte":[at,${lit('2025-01-01')}]}`, [1, 2]],
  [`{"$lte":[at,${lit(1735689600)}]}`, [0, 1, 3]],
  [`{"$or":[{"$eq":[n,${lit(7)}]},{"$eq":[t,${lit('\u{1F600}')}]}]}`, [2]],
  [`{"$not":[{"$or":[{"$eq":[n,${lit(7)}]},{"$eq":[t,${lit('a')}]}]}]}`, [1]],
  [`{"$not":[{"$and":[{"$eq":[n,${lit(0)}]},{"$eq":[t,${lit('a')}]}]}]}`, [0, 1, 2]],
  [`{"$in":[t,[${lit('a')},${lit(null)}]]}`, [0]],
  ['{"$in":[t,[]]}', []],
  ['{"$not":[{"$in":[t,[]]}]}', [0, 1, 2, 3]],
  [`{"$contains":{"input":t,"substr":${lit('b')}}}`, []],
  [`{"$contains":{"input":t,"substr":${lit('b')},"case_insensitive":true}}`, [1]],
  [`{"$contains":{"input":n,"substr":${lit('.5')}}}`, [1]],
  [`{"$contains":{"input":t,"substr":${lit('')}}}`, [0, 1, 2]],
  [`{"$gt":[{"$size":t},${lit(2)}]}`, [2]],
  [`{"$eq":[{"$convert":{"input":n,"to":"exists"}},${lit(false)}]}`, [2]],
  [`{"$eq":[{"$convert":{"input":n,"to":"int"}},${lit(5)}]}`, [1]],
  [`{"$eq":[{"$convert":{"input":n,"to":"string"}},${lit('5.5')}]}`, [1]],
  [`{"$and":[{"$convert":{"input":n,"to":"bool"}}]}`, [0, 1]],
  [`{"$eq":[{"$convert":{"input":t,"to":"double"}},${lit(1)}]}`, []],
  [`{"$eq":[n,{"$convert":{"input":n,"to":"double"}}]}`, [0, 1, 3]],
])('%s', (expression, expected) => {
  expect(chosen(expression)).toEqual(expected);
});

test.each([
  [`{"$eq":[t,${lit(1)}]}`, /text cannot be compared with a literal of type int/],
  [`{"$eq":[n,${lit('x')}]}`, /number cannot be compared/],
  [`{"$eq":[at,${lit('yesterday')}]}`, /is not a time/],
  [`{"$eq":[at,${lit(true)}]}`, /time cannot be compared/],
  ['{"$eq":[t,n]}', /text cannot be compared with a number/],
  [`{"$and":[t]}`, /join conditions/],
  [`{"$gt":[{"$size":n},${lit(1)}]}`, /takes a text/],
])('%s has no meaning', (expression, reason) => {
  expect(() => chosen(expression)).toThrow(
    expect.objectContaining({ kind: 'invalidInput', message: expect.stringMatching(reason) }),
  );
});
