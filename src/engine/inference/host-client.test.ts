import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../testing/fixtures.ts';

test('a model that is opened leaves nothing at home: the library under it would report to its makers', () => {
  const [home, cache] = [temporaryFolder(), temporaryFolder()];
  onTestFinished(() => {
    home.remove();
    cache.remove();
  });
  const module = JSON.stringify(new URL('./host-client.ts', import.meta.url));
  const path = fileURLToPath(new URL('../tiny-model', import.meta.url));
  const start = JSON.stringify({ path, cacheDirectory: cache.folder, limits: {} });
  const program = join(cache.folder, 'program.mjs');
  writeFileSync(program, `await (await (await import(${module})).openHost(${start})).close();`);
  // No variable of a test or of CI, either of which keeps the library silent by itself.
  const env = { PATH: process.env.PATH, HOME: home.folder, TMPDIR: home.folder };
  execFileSync(process.execPath, [program], { env });
  expect(readdirSync(home.folder, { recursive: true })).toEqual([]);
});
