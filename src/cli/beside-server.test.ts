import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { testCommand } from '../../testing/heddle-process.ts';

const [program, ...words] = testCommand;
const root = mkdtempSync(join(tmpdir(), 'heddle-journey-'));
const env = {
  PATH: process.env.PATH,
  HOME: root,
  HEDDLE_DATA: join(root, 'data'),
  HEDDLE_PORT: '0',
  HEDDLE_OWNER: 'ada',
};
const started: ChildProcess[] = [];
afterAll(async () => {
  for (const each of started.filter((child) => child.exitCode === null && child.signalCode === null)) {
    each.kill('SIGKILL');
    await once(each, 'exit');
  }
  rmSync(root, { recursive: true, force: true });
});

test('the way of a first user: start, key, a second start refused, doctor, kill -9, and all is still there', async () => {
  const first = await startServer();
  const [, address = ''] = /ready at (\S+)/.exec(first.said) ?? [];
  const [, key = ''] = /WANDB_API_KEY=(\w{40,})/.exec(first.said) ?? [];
  expect(await viewer(address, key)).toBe('ada');

  const second = await heddle('serve');
  expect(second).toMatchObject({ code: 1, err: expect.stringContaining('in use by another heddle') });
  expect(second.err).not.toContain('    at ');

  const another = (await heddle('keys', 'create', '--name', 'laptop')).out.trim();
  expect(await viewer(address, another)).toBe('ada');
  expect((await heddle('env', 'js')).out).toContain(`WF_TRACE_SERVER_URL=${address}\n`);
  const checked = await heddle('doctor');
  expect(checked.out).toContain(`${address} responds`);
  expect(checked.code).toBe(0);

  await heddle('keys', 'revoke', key.slice(-4));
  expect(await viewer(address, key)).toBe(401);

  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const listed = (await heddle('keys', 'list')).out;
  expect(listed).toMatch(/laptop .* active/);
  expect(listed).toMatch(/first key .* revoked/);

  const again = await startServer();
  expect(again.said).not.toContain('WANDB_API_KEY');
  const [, newAddress = ''] = /ready at (\S+)/.exec(again.said) ?? [];
  expect(await viewer(newAddress, another)).toBe('ada');
  again.child.kill('SIGTERM');
  expect(await once(again.child, 'exit')).toEqual([0, null]);

  const stored = await Promise.all([key, another].map((each) => grep(each)));
  expect(stored).toEqual(['', '']);
});

async function startServer(): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(program!, [...words, 'serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  let said = '';
  for await (const part of child.stdout!.iterator({ destroyOnReturn: false })) {
    said += part;
    if (said.includes('ready at') && said.endsWith('\n\n')) break;
  }
  expect(said).toContain('ready at');
  return { child, said };
}

function heddle(...args: string[]) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(program!, [...words, ...args], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

/** The user name of a key, or the status that refuses it. */
async function viewer(address: string, key: string): Promise<string | number> {
  const answer = await fetch(`${address}/traces/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"query":"{ viewer { username } }"}',
  });
  if (!answer.ok) return answer.status;
  const { data } = (await answer.json()) as { data: { viewer: { username: string } } };
  return data.viewer.username;
}

/** The files of the data directory that hold a text. */
function grep(text: string): Promise<string> {
  return new Promise((resolve) => {
    execFile('grep', ['-rla', text, env.HEDDLE_DATA], (_error, out) => resolve(out.trim()));
  });
}
