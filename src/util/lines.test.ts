import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linesOf } from './lines.ts';
import { NotTextError } from './utf8-text.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const read = (bytes: Uint8Array | string, size = 5) => Array.fromAsync(linesOf(inPieces(Buffer.from(bytes), size)));

test('ends lines with \\n or \\r\\n alone', async () => {
  expect(await read('a\nb\r\n\n"c\u2028d\u2029e\u0085f\vg\fh\ri"\n')).toEqual([
    'a',
    'b',
    '',
    '"c\u2028d\u2029e\u0085f\vg\fh\ri"',
  ]);
  expect(await read('a\nb')).toEqual(['a', 'b']);
  expect(await read('')).toEqual([]);
});

test('skips a byte order mark at the beginning, and keeps others', async () => {
  for (const size of [1, 2, 3, 100]) expect(await read('\ufeffa\n\ufeffb', size)).toEqual(['a', '\ufeffb']);
  expect(await read('\ufeff')).toEqual([]);
});

test('reads the same lines however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 9 }), async (text, size) => {
      fc.pre(!text.startsWith('\ufeff') && !text.includes('\0') && text.length > 4);
      const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
      if (lines.at(-1) === '' && !text.endsWith('\r')) lines.pop();
      expect(await read(text.toWellFormed(), size)).toEqual(lines.map((line) => line.toWellFormed()));
    }),
    { numRuns: 100 },
  );
});

describe('rejects', () => {
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  test.each<[string, Uint8Array, RegExp]>([
    ['Latin-1', Buffer.from('{"a": "caf\u00e9"}\n', 'latin1'), /not UTF-8: the byte at offset 10 is 0xE9/],
    ['half a character at the end', Buffer.from('a\u20ac').subarray(0, 3), /offset 1 is 0xE2/],
    ['half a character in the middle', Buffer.from([0x61, 0xe2, 0x82, 0x61]), /offset 1 is 0xE2/],
    ['a surrogate', Buffer.from([0x61, 0x62, 0xed, 0xa0, 0x80, 0x61]), /offset 2 is 0xED/],
    ['a byte that begins nothing', Buffer.from([0x61, 0x80, 0x61]), /offset 1 is 0x80/],
    ['UTF-16 with a mark', utf16('\ufeff{"a": 1}\n'), /from offset 0 it looks like UTF-16\. Save it as UTF-8\.$/],
    ['UTF-16 without a mark', utf16('{"a": 1}\n'), /looks like UTF-16/],
    ['UTF-16, big-endian', utf16('{"a": 1}\n').swap16(), /looks like UTF-16/],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0]), /looks like UTF-32/],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), /it is compressed with gzip\. Unpack it first\.$/],
    ['a spreadsheet', Buffer.from('PK\x03\x04....'), /it is a ZIP archive, as \.xlsx files are\./],
    ['Parquet', Buffer.from('PAR1....'), /it is a Parquet file\. Convert it to JSON Lines\.$/],
  ])('%s', async (_, bytes, message) => {
    for (const size of [1, 7, 100]) {
      const error = await read(bytes, size).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(NotTextError);
      expect((error as Error).message).toMatch(message);
    }
  });
});
