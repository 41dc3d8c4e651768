import { expect, test } from 'vitest';
import { storableJson, storableText } from './storable.ts';

test('replaces what PostgreSQL cannot store, and nothing else', () => {
  expect(storableText('a\0b\ud800c\u{1f600}')).toBe('a\ufffdb\ufffdc\u{1f600}');
  const value = { 'key\0': ['a\0', '\ud83d', '\udc00', '\\u0000', '\\\0', '\u{1f600}\u0001'] };
  expect(JSON.parse(storableJson(value))).toEqual({
    'key\ufffd': ['a\ufffd', '\ufffd', '\ufffd', '\\u0000', '\\\ufffd', '\u{1f600}\u0001'],
  });
});
