import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRows } from './read-rows.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-rows-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(name: string, content: string | Buffer): Promise<string[]> {
  writeFileSync(join(folder, name), content);
  return readRows(join(folder, name));
}

test('reads rows after a byte order mark, with Windows line ends and separators inside strings', async () => {
  const rows = ['{"a":"x\u2028y"}', '{"a":12345678901234567890}'];
  expect(await read('rows.jsonl', `\ufeff${rows.join('\r\n\r\n')}\r\n`)).toEqual(rows);
  expect(await read('rows.json', `\ufeff[${rows.join(',\n')}]`)).toEqual(rows);
});

test('rejects what is not text in UTF-8, and names the file and the place', async () => {
  await expect(read('latin.jsonl', Buffer.from('{"a":"\u00e9"}', 'latin1'))).rejects.toThrow(
    /latin\.jsonl is not UTF-8: the byte at offset 6 is 0xE9\. Save it as UTF-8\.$/,
  );
  await expect(read('wide.json', Buffer.from('[{"a":1}]', 'utf16le'))).rejects.toThrow(/it looks like UTF-16/);
  await expect(read('zeros.jsonl', '{"a":1}\n\0\0')).rejects.toThrow(/^Line 2 of .* found "\\u0000"\.$/);
});
