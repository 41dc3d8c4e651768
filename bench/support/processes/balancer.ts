import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../../src/util/testing/free-ports.ts';

export type Balancer = { address: string; stop(): Promise<void> };

/** Starts HAProxy, which must be installed, in front of servers. Each request goes to the next of them. */
export async function startBalancer(addresses: string[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-bench-haproxy-'));
  const [port] = await freePorts(1);
  const servers = addresses.map((address, i) => `  server heddle${i} ${new URL(address).host}`);
  const lines = [
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    '  timeout client 75s',
    '  timeout server 75s',
    'frontend all',
    `  bind 127.0.0.1:${port}`,
    '  default_backend heddle',
    'backend heddle',
    '  balance roundrobin',
    ...servers,
    '',
  ];
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, lines.join('\n'));
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  const address = `http://127.0.0.1:${port}`;
  for (const until = performance.now() + 10_000; !(await fetch(`${address}/health`).catch(() => null))?.ok; ) {
    if (performance.now() > until) throw new Error('HAProxy does not answer.');
  }
  return {
    address,
    async stop() {
      child.kill();
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}
