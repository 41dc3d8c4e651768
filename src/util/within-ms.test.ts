import { expect, test } from 'vitest';
import { withinMs } from './within-ms.ts';

const never = new Promise<never>(() => {});

test('a result in time is returned, and an error thrown', async () => {
  expect(await withinMs(60_000, Promise.resolve('result'), () => 'late')).toBe('result');
  await expect(withinMs(60_000, Promise.reject(new Error('broken')), () => 'late')).rejects.toThrow('broken');
});

test('without a result in time, the answer is that of `late`', async () => {
  expect(await withinMs(1, never, () => 'late')).toBe('late');
  const late = () => {
    throw new Error('too late');
  };
  await expect(withinMs(1, never, late)).rejects.toThrow('too late');
});
