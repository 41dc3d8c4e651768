import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('how the Python client logs in', () => {
  const heddle = heddleForFile();

  test("a project without an entity uses the entity of the key's owner [evaluations 4 19]", async () => {
    const report = await runPython(heddle.server, 'login.py', { args: ['alone'] });
    expect(report).toEqual({ entity: 'ent', project: 'alone', calls: 1 });
  });

  test('an op is written with one request [evaluations 154]', async () => {
    const { hostname, port } = new URL(heddle.server.url);
    const writes: string[] = [];
    const recorder = createServer((given, answer) => {
      const { method, url: path = '', headers } = given;
      if (/\/calls?\/(complete|start|end|upsert_batch)$/.test(path)) writes.push(path);
      given.pipe(
        request({ hostname, port, method, path, headers }, (found) => {
          answer.writeHead(found.statusCode!, found.headers);
          found.pipe(answer);
        }),
      );
    });
    await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`;
    const report = await runPython({ ...heddle.server, url }, 'login.py', { args: ['recorded'] });
    recorder.close();
    expect(report.calls).toBe(1);
    expect(writes).toEqual(['/traces/v2/ent/recorded/calls/complete']);
  });

  const refusal = /Retrying|Unable to access|40[13]|permission/i;

  test('a wrong key is refused', async () => {
    const environment = { WANDB_API_KEY: 'wrong'.padEnd(48, '0') };
    const options = { args: ['ent/any'], environment, expected: refusal };
    expect((await runPython(heddle.server, 'wrong_key.py', options)).message).toContain('401 Unauthorized');
  });

  test('a key of someone else is refused with words that say why', async () => {
    await heddle.server.command('users', 'create', 'guest');
    const key = await heddle.server.command('keys', 'create', '--user', 'guest');
    const options = { args: ['ent/any'], environment: { WANDB_API_KEY: key }, expected: refusal };
    expect((await runPython(heddle.server, 'wrong_key.py', options)).message).toContain(
      'You do not have permission to access or create project `ent/any`',
    );
    const own = await runPython(heddle.server, 'login.py', { args: ['alone'], environment: { WANDB_API_KEY: key } });
    expect(own).toMatchObject({ entity: 'guest' });
  });
});
