import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text as consume } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeLog } from './log.ts';
import { brokenRule, Failure, ValidationError } from './util/failures.ts';

function logged(...line: [object, string]): string {
  const written: string[] = [];
  makeLog('info', { write: (text) => written.push(text) }).info(...line);
  return written.join('');
}

test('the log holds no keys', () => {
  const secret = 'very-secret-key';
  const headers = { authorization: `Bearer ${secret}`, 'wandb-api-key': secret, cookie: secret };
  for (const line of [
    headers,
    { headers },
    { request: { headers } },
    { req: { method: 'GET', url: `/x?key=${secret}`, headers } },
  ]) {
    expect(logged(line, 'a request')).not.toContain(secret);
  }
});

test('of an error it holds type, message, stack and cause, but no values that a store has echoed', () => {
  const cause = Object.assign(new Error('value too long\nDETAIL: payload-text'), {
    params: ['payload-text'],
    code: '22001',
  });
  const line = logged({ err: new TypeError('could not store the call', { cause }) }, 'a request failed');
  expect(JSON.parse(line).err).toMatchObject({
    type: 'TypeError',
    message: 'could not store the call',
    stack: expect.stringContaining('log.test.ts'),
    cause: { message: 'value too long', code: '22001' },
  });
  expect(line).not.toContain('payload-text');
});

test.each([
  ['a failure', () => brokenRule('wb_run_id is not entity/project/run', 'Invalid wb_run_id "payload-text"')],
  ['a failure without a rule', () => new Failure('notFound', 'There is no model payload-text.')],
  [
    'a failure that a job passes on',
    () => new Error('No payload-text', { cause: new Failure('notFound', 'No payload-text') }),
  ],
  [
    'findings',
    () => new ValidationError([{ type: 'extra_forbidden', loc: ['body', 'payload-text'], msg: 'payload-text' }]),
  ],
  [
    'findings below a field',
    () => new ValidationError([{ type: 'int', loc: ['body', 'usage', 'payload-text'], msg: '' }]),
  ],
  ['what a parser quotes', () => failureOf(() => JSON.parse('{"a": payload-text'))],
  ['what a parser quotes from the middle', () => failureOf(() => JSON.parse(`[${'1,'.repeat(50)} "payload-text" x]`))],
])('of %s it names fields and rules, not values', (_, make) => {
  expect(logged({ err: make() }, 'a request failed')).not.toContain('payload-text');
});

function failureOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

test.skipIf(!existsSync('/dev/full'))('a log on a full disk loses its lines, and the process goes on', async () => {
  const module = new URL('./log.ts', import.meta.url).href;
  const program = `import { openLog } from ${JSON.stringify(module)};
    for (const logFormat of ['json', 'pretty']) openLog({ logLevel: 'info', logFormat }).info('lost');
    console.log('went on');`;
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', full],
  });
  closeSync(full);
  let out = '';
  child.stdout!.on('data', (text) => (out += text));
  const [code] = await once(child, 'close');
  expect({ code, out }).toEqual({ code: 0, out: 'went on\n' });
});

test('the program does not wait for a reader of the log that hangs, and says how many lines it dropped', async () => {
  const module = new URL('./log.ts', import.meta.url).href;
  const program = `import { openLog } from ${JSON.stringify(module)};
    const log = openLog({ logLevel: 'info', logFormat: 'json' });
    for (let i = 0; i < 30_000; i++) log.info({ i, text: 'x'.repeat(100) }, 'line');
    console.log('went on');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  try {
    const [out] = await once(child.stdout, 'data'); // nobody has read standard error by now
    expect(out.toString()).toBe('went on\n');
    const lines: { i?: number; lines?: number; msg: string }[] = [];
    for await (const line of createInterface(child.stderr)) {
      lines.push(JSON.parse(line));
      if (lines.at(-1)!.lines !== undefined) break;
    }
    const last = lines.pop()!;
    expect(lines.map(({ i }) => i)).toEqual(lines.map((_, i) => i));
    expect(lines.length).toBeGreaterThan(1000);
    expect(last).toMatchObject({ msg: expect.stringContaining('dropped'), lines: 30_000 - lines.length });
  } finally {
    child.kill('SIGKILL');
  }
});

test('what a slow reader has not read yet is written when the process ends', async () => {
  const module = new URL('./log.ts', import.meta.url).href;
  const program = `import { openLog } from ${JSON.stringify(module)};
    const log = openLog({ logLevel: 'info', logFormat: 'json' });
    for (let i = 0; i < 2_000; i++) log.info({ i, text: 'x'.repeat(100) }, 'line');
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  const [text] = await Promise.all([consume(child.stderr), once(child, 'exit')]);
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).i),
  ).toEqual(Array.from({ length: 2_000 }, (_, i) => i));
});
