import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePorts } from '../../src/util/testing/free-ports.ts';
import { swiftEnvironment } from './environment.ts';

/** An S3 server, and the credentials that it accepts. */
export type S3Server = {
  endpoint: string;
  credentials: typeof credentials;
  /** Ends the processes as a crash does. `start` runs them again, on the same ports and directory. */
  crash(): Promise<void>;
  /** @param secret that is accepted from then on */
  start(secret?: string): Promise<void>;
  /** Stops the processes without ending them. */
  pause(): void;
  goOn(): void;
  stop(): Promise<void>;
};

const credentials = { AWS_ACCESS_KEY_ID: 'test:tester', AWS_SECRET_ACCESS_KEY: 'testsecret' };

const servers = ['account', 'container', 'object'] as const;

/**
 * Starts OpenStack Swift with its s3api and a bucket in a new directory: a proxy, and a server for each kind of record.
 * @param place where the directory is, such as a small disk
 */
export async function startSwift(bucket: string, place = tmpdir()): Promise<S3Server> {
  const directory = mkdtempSync(join(place, 'heddle-swift-'));
  const etc = join(directory, 'etc');
  for (const folder of ['etc', 'node/d1', 'cache']) mkdirSync(join(directory, folder), { recursive: true });
  const bin = dirname(swiftEnvironment.python);
  const ports = await freePorts(servers.length + 1);
  const proxyPort = ports.at(-1)!;
  writeFileSync(
    join(etc, 'swift.conf'),
    '[swift-hash]\nswift_hash_path_suffix = t\nswift_hash_path_prefix = t\n[storage-policy:0]\nname = default\ndefault = yes\n',
  );
  const common = [
    'bind_ip = 127.0.0.1',
    'workers = 0',
    `user = ${userInfo().username}`,
    `swift_dir = ${etc}`,
    `log_address = ${join(directory, 'no-log')}`,
  ];
  const rings = servers.map((name, index) => [join(etc, `${name}.ring.gz`), String(ports[index])]);
  await promisify(execFile)(swiftEnvironment.python, ['-c', makeRings, ...rings.flat()]);
  for (const [index, name] of servers.entries()) {
    const lines = [
      '[DEFAULT]',
      `devices = ${join(directory, 'node')}`,
      'mount_check = false',
      `bind_port = ${ports[index]}`,
      `recon_cache_path = ${join(directory, 'cache')}`,
      ...common,
      '[pipeline:main]',
      `pipeline = ${name}-server`,
      `[app:${name}-server]`,
      `use = egg:swift#${name}`,
    ];
    writeFileSync(join(etc, `${name}-server.conf`), lines.join('\n'));
  }
  const endpoint = `http://127.0.0.1:${proxyPort}`;
  let running: ChildProcess[] = [];
  async function start(secret = credentials.AWS_SECRET_ACCESS_KEY): Promise<void> {
    writeFileSync(join(etc, 'proxy-server.conf'), proxySettings(proxyPort, common, secret));
    running = [...servers, 'proxy'].map((name) =>
      spawn(join(bin, `swift-${name}-server`), [join(etc, `${name}-server.conf`)], { stdio: 'ignore' }),
    );
    await untilHealthy(endpoint, running);
  }
  const crash = async () => void (await Promise.all(running.map(ended)));
  const signal = (name: NodeJS.Signals) => {
    for (const child of running) child.kill(name);
  };
  await start();
  await createBucket(endpoint, bucket);
  return {
    endpoint,
    credentials,
    crash,
    start,
    pause: () => signal('SIGSTOP'),
    goOn: () => signal('SIGCONT'),
    async stop() {
      await crash();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A ring of one device for each file and port. `swift-ring-builder` takes half a second for each of nine steps. */
const makeRings = `
import sys
from swift.common.ring import RingBuilder

for path, port in zip(sys.argv[1::2], sys.argv[2::2]):
    builder = RingBuilder(4, 1, 1)
    builder.add_dev({"region": 1, "zone": 1, "ip": "127.0.0.1", "port": int(port), "device": "d1", "weight": 1})
    builder.rebalance()
    builder.get_ring().save(path)
`;

function proxySettings(port: number, common: string[], secret: string): string {
  const filters = [
    'catch_errors',
    'gatekeeper',
    'healthcheck',
    'listing_formats',
    'bulk',
    'copy',
    'slo',
    'dlo',
    'symlink',
  ];
  return [
    '[DEFAULT]',
    `bind_port = ${port}`,
    ...common,
    '[pipeline:main]',
    'pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo versioned_writes symlink proxy-server',
    '[app:proxy-server]',
    'use = egg:swift#proxy',
    'allow_account_management = true',
    'account_autocreate = true',
    'error_suppression_interval = 1', // after an error such as a full disk; by default, the only server is not asked for a minute
    ...filters.flatMap((name) => [`[filter:${name}]`, `use = egg:swift#${name}`]),
    '[filter:cache]',
    'use = egg:swift#memcache',
    'memcache_servers = 127.0.0.1:1',
    '[filter:versioned_writes]',
    'use = egg:swift#versioned_writes',
    'allow_object_versioning = true',
    '[filter:s3api]',
    'use = egg:swift#s3api',
    'location = us-east-1',
    '[filter:tempauth]',
    'use = egg:swift#tempauth',
    `user_test_tester = ${secret} .admin`,
  ].join('\n');
}

async function untilHealthy(endpoint: string, running: ChildProcess[]): Promise<void> {
  const until = Date.now() + 60_000;
  while (Date.now() < until) {
    if (running.some(({ exitCode }) => exitCode !== null)) throw new Error('a server of Swift ended at its start');
    const answer = await fetch(`${endpoint}/healthcheck`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Swift does not answer');
}

/** On a busy machine, the proxy waits too briefly for the other servers. */
async function createBucket(endpoint: string, bucket: string): Promise<void> {
  const client = s3ClientOf({ endpoint, credentials });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
}

export function s3ClientOf({ endpoint, credentials: keys }: Pick<S3Server, 'endpoint' | 'credentials'>): S3Client {
  return new S3Client({
    ...{ endpoint, region: 'us-east-1', forcePathStyle: true, maxAttempts: 10 },
    credentials: { accessKeyId: keys.AWS_ACCESS_KEY_ID, secretAccessKey: keys.AWS_SECRET_ACCESS_KEY },
  });
}

async function ended(child: ChildProcess): Promise<void> {
  const end = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await end;
}
