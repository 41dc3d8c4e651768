import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../testing/fixtures.ts';
import { prepareWeightFile } from './weight-file.ts';
import type { WeightSource } from './weight-source.ts';

const { folder, remove } = temporaryFolder();
afterAll(remove);
const model = join(folder, 'model');
writeFileSync(model, '');

function sourceOf(values: number[], onRead = () => {}): WeightSource {
  return {
    has: () => true,
    shape: () => [values.length],
    readRows() {
      onRead();
      return Float32Array.from(values);
    },
    stored: () => ({ name: 'F32', blockElements: 1, blockBytes: 4 }),
    readStored: () => new Uint8Array(),
    groups: () => null,
    readGroups() {
      throw new Error('not quantised');
    },
    close() {},
  };
}

/** Prepares the weight file. @returns its values and its name */
function prepare(cache: string, source: WeightSource, name = 'weight'): { values: number[]; file: string } {
  const weight = { name, shape: source.shape(name), parts: [name] };
  const { places } = prepareWeightFile(model, cache, [weight], source);
  const place = places.get(name)!;
  const bytes = readFileSync(join(cache, place.file));
  const { buffer } = bytes.subarray(place.kind === 'f32' ? place.offset : 0);
  return { values: [...new Float32Array(buffer, bytes.byteOffset, source.shape(name)[0])], file: place.file };
}

test('two processes can prepare the same model at the same time', () => {
  const cache = join(folder, 'shared');
  let other: number[] = [];
  const slow = sourceOf([1, 2, 3], () => {
    other = prepare(cache, sourceOf([1, 2, 3])).values; // starts and ends while the first one is writing
  });
  expect(prepare(cache, slow).values).toEqual([1, 2, 3]);
  expect(other).toEqual([1, 2, 3]);
  expect(readdirSync(cache)).toHaveLength(1);
});

test('removes files of earlier versions and of killed processes', () => {
  const cache = join(folder, 'changed');
  const { file } = prepare(cache, sourceOf([1]));
  const abandoned = join(cache, `${file}.1234.unfinished`);
  writeFileSync(abandoned, '');
  utimesSync(abandoned, 0, 0);
  const changed = prepare(cache, sourceOf([1]), 'renamed');
  expect(readdirSync(cache)).toEqual([changed.file]);
});
