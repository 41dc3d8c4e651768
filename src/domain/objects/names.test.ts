import { expect, test } from 'vitest';
import { Failure } from '../../util/failures.ts';
import { checkObjectName } from './names.ts';

test.each(['cfg', 'M.predict', 'a-b_c', 'é', '模型', 'ⅷ', '٣', 'a'.repeat(128), '𝒜'.repeat(128)])(
  'the name %j is fine',
  (name) => expect(() => checkObjectName(name)).not.toThrow(),
);

test.each([
  ['', 'unacceptable', 'Object name cannot be empty'],
  ['a b', 'unacceptable', 'invalid characters: [" "]'],
  ['a/b', 'unacceptable', 'invalid characters: ["/"]'],
  ['a:b', 'unacceptable', 'invalid characters: [":"]'],
  ['e\u0301', 'unacceptable', 'invalid characters'],
  ['😀', 'unacceptable', 'invalid characters'],
  ['a'.repeat(129), 'invalidInput', 'Max length is 128'],
])('the name %j is refused as %s', (name, kind, reason) => {
  let error: unknown;
  try {
    checkObjectName(name);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(Failure);
  expect((error as Failure).kind).toBe(kind);
  expect((error as Failure).message).toContain(reason);
});
