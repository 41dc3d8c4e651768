import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePorts } from '../../../util/testing/free-ports.ts';
import { migratePostgres } from '../migrate.ts';
import { publishVersion } from '../objects/publish-version.ts';
import type { Postgres } from '../postgres.ts';
import { startTestServer, type TestServer } from '../testing/postgres-server.ts';
import { addTestProject } from '../testing/test-project.ts';
import { serverPostgres } from './open.ts';
import { parseServerUrl } from './server-url.ts';

/** Debian's package puts it into a folder that is not in the path of every user. */
const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(existsSync);
const isRequired = process.env.HEDDLE_TEST_PGBOUNCER === 'required';
if (!program)
  process.stderr.write('Tests with PgBouncer are SKIPPED: it is not installed (apt-get install pgbouncer).\n');

describe.skipIf(!program && !isRequired)('behind PgBouncer in transaction mode', () => {
  let server: TestServer;
  let bouncer: ChildProcess;
  let folder: string;
  let [pooled, direct] = ['', ''];
  let postgres: Postgres;

  beforeAll(async () => {
    expect(program, 'HEDDLE_TEST_PGBOUNCER requires PgBouncer: apt-get install pgbouncer').toBeDefined();
    server = await startTestServer();
    direct = await server.createDatabase();
    const [port] = await freePorts(1);
    folder = mkdtempSync(join(tmpdir(), 'heddle-pgbouncer-'));
    const { hostname, port: behind, username } = new URL(direct);
    writeFileSync(join(folder, 'users.txt'), `"${username}" ""\n`);
    writeFileSync(
      join(folder, 'pgbouncer.ini'),
      `[databases]\n* = host=${hostname} port=${behind || 5432}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
        `auth_type = trust\nauth_file = ${folder}/users.txt\nunix_socket_dir =\npool_mode = transaction\ndefault_pool_size = 2\n`,
    );
    const isRoot = process.getuid?.() === 0; // PgBouncer refuses to run as root
    if (isRoot) for (const name of ['', 'users.txt', 'pgbouncer.ini']) chownSync(join(folder, name), 65_534, 65_534);
    const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    bouncer = spawn(program!, [join(folder, 'pgbouncer.ini')], { ...user, stdio: 'ignore' });
    const url = new URL(direct);
    url.host = `127.0.0.1:${port}`;
    pooled = url.href;
    await vi.waitFor(async () => (postgres = await open(pooled, direct)), { timeout: 10_000, interval: 200 });
    await migratePostgres(postgres);
    await addTestProject(postgres);
  });
  afterAll(async () => {
    await postgres?.close();
    bouncer?.kill('SIGKILL');
    await server?.close();
    if (folder) rmSync(folder, { recursive: true });
  });

  test('more transactions run at once than PgBouncer has connections', async () => {
    const version = { projectId: 'p', kind: 'object', objectId: 'o', baseClass: null, leafClass: null } as const;
    const digests = Array.from({ length: 16 }, (_, index) => `d${index}`);
    const published = await Promise.all(
      digests.map((digest) => publishVersion(postgres, { ...version, digest, sizeBytes: 1, userId: 'u' })),
    );
    expect(published).toContainEqual({ versionIndex: 15 });
  });

  test('limits of a transaction do not stay with the connection of the server', async () => {
    await postgres.db.transaction().execute((db) => db.selectFrom('projects').selectAll().execute());
    const limits = await Promise.all(
      [1, 2, 3, 4].map(() => postgres.executeSql("SELECT current_setting('statement_timeout') AS value", [])),
    );
    for (const { rows } of limits) expect(rows).toEqual([{ value: '0' }]);
  });

  test('as the direct address, it is refused by name', async () => {
    await expect(open(pooled, pooled)).rejects.toThrow('Give its own address with HEDDLE_POSTGRES_DIRECT_URL');
  });
});

async function open(pooled: string, direct: string): Promise<Postgres> {
  const [address, directly] = [parseServerUrl(pooled), parseServerUrl(direct)];
  return (await serverPostgres({ address, direct: directly, connectionsMax: 8, waitMsMax: 5000 })).store;
}
