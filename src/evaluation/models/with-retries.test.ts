import { expect, test } from 'vitest';
import { Failure } from '../../util/failures.ts';
import { withRetries } from './with-retries.ts';

/** Work that fails this often, and then succeeds. */
function failing(kind: 'busy' | 'unavailable' | 'invalidInput', times: number) {
  const attempts: Failure[] = [];
  const work = async () => {
    if (attempts.length === times) return 'done';
    attempts.push(new Failure(kind, `attempt ${attempts.length + 1}`));
    throw attempts.at(-1);
  };
  return { work, attempts };
}

test.each(['busy', 'unavailable'] as const)('repeats work that fails as %s', async (kind) => {
  const { work, attempts } = failing(kind, 1);
  await expect(withRetries(work, new AbortController().signal)).resolves.toBe('done');
  expect(attempts).toHaveLength(1);
});

test('does not repeat work that would fail again', async () => {
  const { work } = failing('invalidInput', 2);
  await expect(withRetries(work, new AbortController().signal)).rejects.toThrow('attempt 1');
});

test('does not go on once it is canceled', async () => {
  const { work, attempts } = failing('busy', 2);
  await expect(withRetries(work, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  expect(attempts).toHaveLength(1);
});
