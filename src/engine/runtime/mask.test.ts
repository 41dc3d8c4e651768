import { expect, test } from 'vitest';
import { attentionMask } from './mask.ts';

test('a new token attends to the used rows of the cache and the new tokens up to itself', () => {
  expect(draw(attentionMask([2], 3, 4, null), 7)).toEqual(['xx..x..', 'xx..xx.', 'xx..xxx']);
});

test('a window includes the token itself', () => {
  expect(draw(attentionMask([3], 3, 4, 3), 7)).toEqual(['.xx.x..', '..x.xx.', '....xxx']);
});

test('each sequence of a batch has its own length', () => {
  expect(draw(attentionMask([0, 4], 1, 4, null), 5)).toEqual(['....x', 'xxxxx']);
});

test('attends only to new tokens without a cache', () => {
  expect(draw(attentionMask([0], 2, 0, null), 2)).toEqual(['x.', 'xx']);
});

function draw(mask: Float32Array, width: number): string[] {
  const signs = [...mask].map((value) => (value === 0 ? 'x' : '.')).join('');
  return signs.match(new RegExp(`.{${width}}`, 'g'))!;
}
