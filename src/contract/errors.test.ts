import { expect, test } from 'vitest';
import { Failure, type FailureKind } from '../util/failures.ts';
import { toApiError } from './errors.ts';

const statuses: Record<FailureKind, number> = {
  invalidInput: 400,
  forbidden: 403,
  notFound: 404,
  conflict: 409,
  tooLarge: 413,
  unacceptable: 422,
  busy: 429,
  canceled: 499,
  unsupported: 501,
  unavailable: 503,
  noSpace: 507,
};

test.each(Object.entries(statuses) as [FailureKind, number][])(
  'a failure of the kind %s has the status %i',
  (kind, status) => {
    const answered = toApiError(new Failure(kind, 'why', { param: 'model' }));
    expect(answered).toMatchObject({ status, message: 'why', extra: { param: 'model' } });
  },
);

test('an error that is no failure is a defect', () => {
  expect(toApiError(new Error('a secret'))).toBeNull();
});
