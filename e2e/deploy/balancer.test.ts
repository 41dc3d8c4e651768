import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import { deployEnvironment } from './environment.ts';
import { toolPath } from './run-tool.ts';

/** Caddy with the configuration of `deploy/`, before two servers. They have no shared stores: this is about connections. */
describe.skipIf(!deployEnvironment.isReady())('behind the balancer (needs the environment of the linters)', () => {
  let servers: Heddle[];
  let caddy: ChildProcess;
  let url: string;
  beforeAll(async () => {
    const settings = { HEDDLE_DRAIN_DELAY_SECONDS: '5' };
    servers = await Promise.all([1, 2].map(() => startHeddle(newDataDirectory(), settings)));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const addresses = servers.map((each) => new URL(each.url).host).join(' ');
    const env = { ...process.env, HEDDLE_SITE: `:${port}`, HEDDLE_SERVERS: addresses };
    const file = join(import.meta.dirname, '../../deploy/Caddyfile');
    caddy = spawn(toolPath('caddy'), ['run', '--adapter', 'caddyfile', '--config', file], { env, stdio: 'ignore' });
    await vi.waitFor(async () => expect(await statusOf('/health/ready')).toBe(200), { timeout: 10_000 });
  });
  afterAll(async () => {
    caddy?.kill();
    if (caddy?.exitCode === null) await once(caddy, 'exit');
    await Promise.all(servers?.map((each) => each.close()) ?? []);
  });

  const statusOf = (path: string) =>
    fetch(url + path).then(
      ({ status }) => status,
      () => 0,
    );
  const chat = (more: object) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${servers[0]!.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], ...more }),
    });

  test('a stream arrives piece by piece', async () => {
    const { body } = await chat({ stream: true, max_tokens: 60, ignore_eos: true });
    let pieces = 0;
    for await (const _ of body!) pieces++;
    expect(pieces).toBeGreaterThan(5);
  });

  test('a body larger than the buffers of the balancer arrives', async () => {
    const object = { project_id: 'ent/large', object_id: 'large', val: { text: 'x'.repeat(30 * 1024 * 1024) } };
    const headers = { authorization: `Bearer ${servers[0]!.key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/obj/create`, { method: 'POST', headers, body: JSON.stringify({ obj: object }) });
    expect(answer.status).toBe(200);
  });

  test('no request fails while a server stops', async () => {
    const [first] = servers as [Heddle, Heddle];
    let isStopped = false;
    const statuses = new Map<number, number>();
    const ask = async () => {
      while (!isStopped) {
        const status = await statusOf('/server_info');
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const asking = [1, 2, 3, 4].map(ask);
    expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await expect.poll(() => statusOf('/health/ready')).toBe(200);
    isStopped = true;
    await Promise.all(asking);
    expect([...statuses.keys()]).toEqual([200]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
