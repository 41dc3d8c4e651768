import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DataDirectoryError, formatNumber, openDataDirectory } from './data-directory.ts';

const root = mkdtempSync(join(tmpdir(), 'heddle-data-directory-'));
afterAll(() => rmSync(root, { recursive: true }));
let made = 0;
const fresh = () => join(root, `data-${made++}`);

function refusal(path: string): DataDirectoryError {
  try {
    openDataDirectory(path).close();
  } catch (error) {
    if (error instanceof DataDirectoryError) return error;
    throw error;
  }
  throw new Error('it was opened');
}

test('a new directory is readable by its owner alone', () => {
  const directory = openDataDirectory(join(fresh(), 'deeper'));
  expect(statSync(directory.path).mode & 0o777).toBe(0o700);
  directory.close();
});

test('a second opening is refused while the first holds it, and admitted after it is closed', () => {
  const path = fresh();
  const first = openDataDirectory(path);
  expect(refusal(path)).toMatchObject({
    reason: 'in use',
    message: expect.stringContaining('in use by another heddle'),
  });
  first.close();
  openDataDirectory(path).close();
});

test('another process is refused while the first runs, and admitted after kill -9', async () => {
  const path = fresh();
  const holder = await holdInAnotherProcess(path);
  expect(refusal(path).reason).toBe('in use');
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  openDataDirectory(path).close();
});

test('a directory written by a newer heddle is refused and left as it was', () => {
  const path = fresh();
  mkdirSync(path);
  writeFileSync(join(path, 'heddle.json'), JSON.stringify({ format: formatNumber + 1 }));
  expect(refusal(path)).toMatchObject({ reason: 'too new', message: expect.stringContaining('newer heddle') });
  expect(existsSync(join(path, 'clickhouse'))).toBe(false);
});

test('a damaged heddle.json is refused by name', () => {
  const path = fresh();
  mkdirSync(path);
  writeFileSync(join(path, 'heddle.json'), '{"form');
  expect(refusal(path).message).toContain('heddle.json is damaged');
});

test("a directory with somebody else's files is refused, naming them", () => {
  const path = fresh();
  mkdirSync(path);
  writeFileSync(join(path, 'letters.txt'), '');
  expect(refusal(path)).toMatchObject({ reason: 'foreign', message: expect.stringContaining('letters.txt') });
  expect(existsSync(join(path, 'lock'))).toBe(false);
});

test('a file in place of the directory is refused', () => {
  const path = fresh();
  writeFileSync(path, '');
  expect(refusal(path).message).toContain('it is a file, not a directory');
});

test.skipIf(process.getuid?.() === 0)('a directory that this user may not write is refused', () => {
  const path = fresh();
  mkdirSync(path);
  chmodSync(path, 0o500);
  expect(refusal(path).reason).toBe('unusable');
});

test('a path too long for a socket gets a short and private one, removed at the end', () => {
  const directory = openDataDirectory(join(fresh(), 'long'.repeat(30)));
  const place = dirname(directory.socket);
  expect(directory.socket.length).toBeLessThan(100);
  expect(statSync(place).mode & 0o777).toBe(0o700);
  directory.close();
  expect(existsSync(place)).toBe(false);
});

test('a socket place that is a link of somebody is refused', () => {
  const path = join(fresh(), 'long'.repeat(30));
  const directory = openDataDirectory(path);
  const place = dirname(directory.socket);
  directory.close();
  symlinkSync(root, place);
  try {
    expect(refusal(path).message).toContain('belongs to another user');
  } finally {
    rmSync(place);
  }
});

async function holdInAnotherProcess(path: string): Promise<ChildProcess> {
  const program = `import { openDataDirectory } from ${JSON.stringify(new URL('./data-directory.ts', import.meta.url).href)};
    openDataDirectory(${JSON.stringify(path)}); console.log('held'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(child.stdout!, 'data');
  expect(String(said)).toContain('held');
  return child;
}
