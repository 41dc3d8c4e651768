import { expect, test } from 'vitest';
import { Failure, invalidInput } from '../util/failures.ts';
import { toApiError } from './errors.ts';

test('a failure keeps its message and its field, and gets the status of its kind', () => {
  expect(toApiError(invalidInput('why', { param: 'model' }))).toMatchObject({
    status: 400,
    message: 'why',
    extra: { param: 'model' },
  });
  expect(toApiError(new Failure('unsupported', 'why'))).toMatchObject({ status: 501 });
});

test('any other error is a defect', () => {
  expect(toApiError(new Error('a secret'))).toBeNull();
});
