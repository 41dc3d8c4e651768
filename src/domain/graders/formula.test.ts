import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFormula } from './formula.ts';
import { GradeError } from './grade-error.ts';

const scores = { a: 2, b: 3, half: 0.5 };

test.each([
  ['a + b * 2', 8],
  ['(a + b) * 2', 10],
  ['b - a - 1', 0],
  ['12 / b / a', 2],
  ['2 ^ 3 ^ 2', 512],
  ['-a ^ 2', -4],
  ['a ^ -1', 0.5],
  ['--a', 2],
  ['1e1 + .5 + 2.', 12.5],
  ['min(a, b, half) + max(a, b)', 3.5],
  ['floor(half) + ceil(half) + abs(-a)', 3],
  ['sqrt(a * 2) + log(exp(half))', 2.5],
  ['0.7 * a + 0.3 * b', 2.3],
])('%s is %d', (text, value) => {
  expect(parseFormula(text).evaluate(scores)).toBeCloseTo(value, 12);
});

test('lists the scores that it uses', () => {
  expect([...parseFormula('min(a, b) + a').names]).toEqual(['a', 'b']);
});

test.each([
  ['', 'it ends too early'],
  ['a +', 'it ends too early'],
  ['a b', 'unexpected "b"'],
  ['(a', 'it ends too early'],
  ['a; b', 'unexpected ";"'],
  ['a.constructor', 'unexpected "."'],
  ['process("x")', 'unexpected """'],
  ['eval(a)', 'there is no function eval'],
  ['constructor(a)', 'there is no function constructor'],
  ['sqrt(a, b)', 'sqrt takes one value'],
  ['('.repeat(200), 'it nests more than 100 levels'],
  [`${'-'.repeat(200)}a`, 'it nests more than 100 levels'],
])('%j is not a formula: %s', (text, message) => {
  expect(() => parseFormula(text)).toThrow(message);
});

test.each(['a / 0', 'log(0)', 'sqrt(-a)'])('%s has no finite result', (text) => {
  expect(() => parseFormula(text).evaluate(scores)).toThrow(expect.objectContaining({ problem: 'other_error' }));
});

test('whatever is not a formula is reported as such', () => {
  const pieces = fc.array(fc.constantFrom('a', 'b', '1', '+', '-', '*', '/', '^', '(', ')', ',', 'min', '.', ' '));
  fc.assert(
    fc.property(
      pieces.map((all) => all.join('')),
      (text) => {
        try {
          parseFormula(text).evaluate(scores);
        } catch (error) {
          expect(error).toBeInstanceOf(GradeError);
        }
      },
    ),
  );
});
