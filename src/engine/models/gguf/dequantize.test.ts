import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtures, readJson } from '../../testing/fixtures.ts';
import { ggufTypes } from './dequantize.ts';

type Case = { type: number; name: string; bytes: string; values: string };

const cases = readJson<Case[]>(join(fixtures, 'gguf-types.json'));

test.each(cases)('dequantises $name to the same bits as the gguf package', ({ type, name, bytes, values }) => {
  const found = ggufTypes.get(type)!;
  expect(found.name).toBe(name);
  const decoded = found.decode(Uint8Array.from(Buffer.from(bytes, 'base64')));
  const expected = new Float32Array(Uint8Array.from(Buffer.from(values, 'base64')).buffer);
  expect(decoded).toEqual(expected);
});
