import { expect, test } from 'vitest';
import { parseVersionWord } from './version-word.ts';

test.each([
  ['v0', 0],
  ['v01', 1],
  ['v 1', 1],
  ['v1_0', 10],
  ['v-1', -1],
  ['v+2 ', 2],
])('%j is a version index [objects 23]', (word, index) => {
  expect(parseVersionWord(word)).toEqual({ kind: 'index', index });
});

test.each(['v', 'V3', 'v3a', 'v1__0', 'v1.0', 'latest', 'prod'])('%j is a name', (name) => {
  expect(parseVersionWord(name)).toEqual({ kind: 'name', name });
});

test.each(['a'.repeat(43), 'a'.repeat(64)])('%j is a digest', (digest) => {
  expect(parseVersionWord(digest)).toEqual({ kind: 'digest', digest });
});
