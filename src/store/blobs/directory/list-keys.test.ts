import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { listKeys } from './list-keys.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-keys-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('lists folders that have more names than are kept in memory', async () => {
  const keys = Array.from({ length: 40 }, (_, i) => `${i % 3 === 0 ? `folder${i}/` : ''}${(i * 7) % 40}`).sort();
  for (const key of [...keys, 'hidden/a']) {
    mkdirSync(dirname(join(directory, key)), { recursive: true });
    writeFileSync(join(directory, key), '');
  }
  for (const namesMax of [1, 2, 3, 7, 100]) {
    for (const after of [undefined, '3', keys[20]!]) {
      const listed = await Array.fromAsync(listKeys(directory, { prefix: '', after, hidden: 'hidden' }, namesMax));
      expect(listed).toEqual(keys.filter((key) => key > (after ?? '')));
    }
  }
});
