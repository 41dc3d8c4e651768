import { expect, test } from 'vitest';
import { partSizes } from './part-sizes.ts';

const [mebibyte, gibibyte, tebibyte] = [1024 ** 2, 1024 ** 3, 1024 ** 4];

test.each([
  [undefined, 16 * mebibyte, 2],
  [0, 16 * mebibyte, 2],
  [156 * gibibyte, 16 * mebibyte, 2],
  [157 * gibibyte, 17 * mebibyte, 2],
  [tebibyte, 105 * mebibyte, 1],
  [5 * tebibyte, 525 * mebibyte, 1],
])('an upload of %s bytes has parts of %i bytes, %i at a time', (sizeBytes, partBytes, partsInFlight) => {
  expect(partSizes(sizeBytes)).toEqual({ partBytes, partsInFlight });
  expect((sizeBytes ?? 0) / partBytes).toBeLessThanOrEqual(10_000);
});
