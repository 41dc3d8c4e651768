import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const readme = join(root, 'README.md');
const foreignRuntime = 'onnxruntime-node/bin/napi-v6/none/none';

let folder: string;
/** Where heddle is installed. */
let own: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-trim-'));
  own = join(folder, 'node_modules/heddle');
  cpSync(join(root, 'scripts/trim-install.mjs'), join(own, 'scripts/trim-install.mjs'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const trim = () => promisify(execFile)(process.execPath, [join(own, 'scripts/trim-install.mjs')]);

function addPackages(packages: string): void {
  cpSync(readme, join(packages, 'some-package/README.md'));
  mkdirSync(join(packages, foreignRuntime), { recursive: true });
}

test('an installation in a project has the packages beside heddle, and they stay as they are', async () => {
  const packages = join(folder, 'node_modules');
  addPackages(packages);
  await trim();
  expect(readdirSync(packages, { recursive: true })).toEqual(
    expect.arrayContaining([foreignRuntime, 'some-package/README.md']),
  );
});

test('packages in the folder of heddle lose what this machine does not read', async () => {
  addPackages(join(own, 'node_modules'));
  await trim();
  expect(existsSync(join(own, 'node_modules/some-package/README.md'))).toBe(false);
  expect(existsSync(join(own, 'node_modules', foreignRuntime))).toBe(false);
});

test('links that lead out of the folder are not followed', async () => {
  const others = join(folder, 'others');
  addPackages(others);
  mkdirSync(join(own, 'node_modules'), { recursive: true });
  for (const name of readdirSync(others)) symlinkSync(join(others, name), join(own, 'node_modules', name));
  await trim();
  rmSync(join(own, 'node_modules'), { recursive: true });
  symlinkSync(others, join(own, 'node_modules'));
  await trim();
  expect(readdirSync(others, { recursive: true })).toEqual(
    expect.arrayContaining([foreignRuntime, 'some-package/README.md']),
  );
});
