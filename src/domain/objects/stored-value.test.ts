import { expect, test } from 'vitest';
import { parseLossless } from '../../util/json/lossless.ts';
import { toStoredValue } from './stored-value.ts';

test('an infinity affects the digest and is stored as text [objects 3]', () => {
  expect(toStoredValue(parseLossless('{"a":1E400,"b":-0,"c":1.10,"d":1e0}'))).toEqual({
    digest: '5rPQMgKCJx8cnSywdMUEYNyqG4v4r1Vk6ctISklDFgQ',
    text: '{"a": "Infinity", "b": 0, "c": 1.1, "d": 1.0}',
  });
});

test('the text Infinity is stored unchanged', () => {
  expect(toStoredValue(parseLossless('["Infinity",12]')).text).toBe('["Infinity", 12]');
});
