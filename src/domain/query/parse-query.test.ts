import { expect, test } from 'vitest';
import { ValidationError } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { parseQuery } from './parse-query.ts';

const parse = (text: string) => parseQuery(new JsonText(text));

function failure(text: string): ValidationError {
  try {
    parse(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError);
    return error as ValidationError;
  }
  throw new Error(`${text} was taken`);
}

test('parses a query in either spelling', () => {
  const expected = {
    kind: 'eq',
    left: { kind: 'convert', input: { kind: 'field', path: 'inputs.x' }, to: 'int' },
    right: { kind: 'literal', literal: { type: 'int', value: 5n } },
  };
  expect(
    parse('{"$expr":{"$eq":[{"$convert":{"input":{"$getField":"inputs.x"},"to":"int"}},{"$literal":5}]}}'),
  ).toEqual(expected);
  expect(
    parse('{"expr_":{"eq_":[{"convert_":{"input":{"get_field_":"inputs.x"},"to":"int"}},{"literal_":5}]}}'),
  ).toEqual(expected);
});

test('keeps integers and floats distinct', () => {
  const literal = (text: string) => {
    const operation = parse(`{"$expr":{"$eq":[{"$getField":"a"},{"$literal":${text}}]}}`);
    return operation.kind === 'eq' && operation.right.kind === 'literal' ? operation.right.literal : null;
  };
  expect(literal('5')).toEqual({ type: 'int', value: 5n });
  expect(literal('5.0')).toEqual({ type: 'float', value: 5 });
  expect(literal('123456789012345678901234567890')).toEqual({ type: 'int', value: 123456789012345678901234567890n });
});

test('uses the first of two operators in the fixed order', () => {
  const operand = '{"$literal":true}';
  expect(parse(`{"$expr":{"$or":[${operand}],"$and":[${operand}]}}`).kind).toBe('and');
});

test('rejects a key beside $expr [calls 5]', () => {
  const { detail } = failure('{"$expr":{"$and":[{"$literal":true}]},"x":1}');
  expect(detail[0]).toMatchObject({ type: 'extra_forbidden', loc: ['body', 'query', 'x'] });
});

test.each([
  ['{}', 'missing', ['body', 'query', '$expr']],
  ['{"$expr":{"$literal":1}}', 'value_error', ['body', 'query', '$expr']],
  ['{"$expr":{"$ne":[]}}', 'value_error', ['body', 'query', '$expr']],
  ['{"$expr":{"$not":{"$literal":1}}}', 'list_type', ['body', 'query', '$expr', '$not']],
  ['{"$expr":{"$not":[]}}', 'too_short', ['body', 'query', '$expr', '$not']],
  ['{"$expr":{"$eq":[{"$literal":1}]}}', 'too_short', ['body', 'query', '$expr', '$eq']],
  ['{"$expr":{"$in":[{"$literal":1},{"$literal":[1]}]}}', 'list_type', ['body', 'query', '$expr', '$in', 1]],
  [
    '{"$expr":{"$eq":[{"$literal":[1]},{"$literal":1}]}}',
    'value_error',
    ['body', 'query', '$expr', '$eq', 0, '$literal'],
  ],
  ['{"$expr":{"$contains":{"input":{"$literal":1}}}}', 'missing', ['body', 'query', '$expr', '$contains', 'substr']],
  [
    '{"$expr":{"$and":[{"$convert":{"input":{"$literal":1},"to":"x"}}]}}',
    'literal_error',
    ['body', 'query', '$expr', '$and', 0, '$convert', 'to'],
  ],
])('rejects the shape of %s [calls 87]', (text, type, loc) => {
  expect(failure(text).detail[0]).toMatchObject({ type, loc });
});

test('an empty $and has the right shape but is invalid input [calls 87]', () => {
  expect(() => parse('{"$expr":{"$and":[]}}')).toThrow(expect.objectContaining({ kind: 'invalidInput' }));
  expect(() => parse('{"$expr":{"$eq":[{"$literal":[{"$literal":1}]},{"$literal":1}]}}')).toThrow(
    expect.objectContaining({ kind: 'invalidInput' }),
  );
});

test('rejects a query with far too many values before reading all of it', () => {
  const query = `{"x":{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":${n}`).join()}`; // it is never closed
  expect(() => parseQuery(new JsonText(query))).toThrow(/at most 20000 operands/);
});
