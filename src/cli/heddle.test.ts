import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { environmentName, type SettingName, settings } from '../config.ts';

const root = mkdtempSync(join(tmpdir(), 'heddle-cli-'));
afterAll(() => rmSync(root, { recursive: true }));
const program = new URL('./entry.mjs', import.meta.url).pathname;

function heddle(args: string[], environment: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, HOME: root, HEDDLE_DATA: join(root, 'data'), ...environment };
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

test.each([
  [['serve', '--prot', '1'], {}, '--prot'],
  [['serve', '--port', 'abc'], {}, '--port must be a whole number'],
  [['serve'], { HEDDLE_PROT: '1' }, 'Did you mean HEDDLE_PORT?'],
  [['serv'], {}, 'Did you mean serve?'],
  [['env', 'cobol'], {}, 'python, js, otel, openai, art'],
  [['keys', 'create', '--port', '1'], {}, '--port'],
])('%j %j is refused by name with exit code 2 and no stack trace', async (args, environment, words) => {
  const { code, out, err } = await heddle(args, environment as Record<string, string>);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(words);
  expect(err).not.toContain('    at ');
});

test('a reader that closes the pipe early causes no error', async () => {
  const script = '"$0" "$1" serve --help | true';
  const err = await new Promise<string>((resolve) => {
    execFile('sh', ['-c', script, process.execPath, program], (_error, _out, text) => resolve(text));
  });
  expect(err).toBe('');
});

test('serve --help names every setting with its variable and default', async () => {
  const { code, out } = await heddle(['serve', '--help']);
  const text = out.replace(/\s+/g, ' ');
  expect(code).toBe(0);
  for (const name of Object.keys(settings) as SettingName[]) {
    const fallback = settings[name].default === '' ? '' : `, default ${settings[name].default}]`;
    expect(text).toContain(`${environmentName(name)}${fallback}`);
  }
  expect(text).toContain('Examples:');
  expect(text).not.toContain('--api-key');
});

test('env puts in the key given by flag or environment, else a placeholder and how to get one', async () => {
  expect((await heddle(['env', 'python', '--key', 'abc'])).out).toContain('export WANDB_API_KEY=abc\n');
  const given = 'a'.repeat(40);
  expect((await heddle(['env', 'python'], { HEDDLE_API_KEY: given })).out).toContain(`WANDB_API_KEY=${given}\n`);
  const { out } = await heddle(['env', 'python']);
  expect(out).toContain('WANDB_API_KEY=YOUR_KEY\n');
  expect(out).toContain('heddle env python --new-key');
});

test('env follows the settings where no server runs', async () => {
  expect((await heddle(['env', 'openai', '--port', '7001'])).out).toContain('OPENAI_BASE_URL=http://127.0.0.1:7001/v1');
  const behindProxy = { HEDDLE_PUBLIC_URL: 'https://heddle.example/' };
  expect((await heddle(['env', 'python'], behindProxy)).out).toContain('WANDB_BASE_URL=https://heddle.example\n');
});

test('a command without data says what makes it, with exit code 1', async () => {
  const { code, err } = await heddle(['keys', 'list']);
  expect(code).toBe(1);
  expect(err).toContain('Run `heddle serve` to create it');
  expect(err).not.toContain('    at ');
});

test('doctor exits with 1 when something is wrong, and says what', async () => {
  const data = mkdtempSync(join(root, 'newer-'));
  writeFileSync(join(data, 'heddle.json'), '{"format":99}');
  const { code, out } = await heddle(['doctor', '--data', data]);
  expect(code).toBe(1);
  expect(out).toContain('written by a newer heddle');
});
