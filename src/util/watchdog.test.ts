import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const watchdog = new URL('./watchdog.ts', import.meta.url).href;

test('a process whose main thread stands still is ended with a message', async () => {
  const { signal, err } = await run(
    "watchMainThread('it stood still', { msMax: 2000 }); setTimeout(() => { for (;;); }, 100);",
  );
  expect({ signal, err }).toEqual({ signal: 'SIGKILL', err: 'it stood still\n' });
});

test('a process that works is left alone, and ends by itself', async () => {
  const { code, err } = await run("watchMainThread('it stood still', { msMax: 1000 }); setTimeout(() => {}, 4000);");
  expect({ code, err }).toEqual({ code: 0, err: '' });
});

async function run(program: string) {
  const code = `import { watchMainThread } from ${JSON.stringify(watchdog)}; ${program}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let err = '';
  child.stderr!.on('data', (text) => (err += text));
  const [exitCode, signal] = await once(child, 'close');
  return { code: exitCode, signal, err };
}
