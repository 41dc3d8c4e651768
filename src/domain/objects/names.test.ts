import { expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { checkObjectName } from './names.ts';

test.each(['cfg', 'M.predict', 'a-b_c', 'é', '模型', 'ⅷ', '٣', 'a'.repeat(128), '𝒜'.repeat(128)])(
  'the name %j is fine',
  (name) => expect(() => checkObjectName(name)).not.toThrow(),
);

test.each([
  ['', 422, 'Object name cannot be empty'],
  ['a b', 422, 'invalid characters: [" "]'],
  ['a/b', 422, 'invalid characters: ["/"]'],
  ['a:b', 422, 'invalid characters: [":"]'],
  ['e\u0301', 422, 'invalid characters'],
  ['😀', 422, 'invalid characters'],
  ['a'.repeat(129), 400, 'Max length is 128'],
])('the name %j is refused with %i', (name, status, reason) => {
  let error: unknown;
  try {
    checkObjectName(name);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(ApiError);
  expect((error as ApiError).status).toBe(status);
  expect((error as ApiError).message).toContain(reason);
});
