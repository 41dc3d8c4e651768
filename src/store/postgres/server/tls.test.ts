import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/postgres-server.ts';
import { serverPostgres } from './open.ts';
import { parseServerUrl } from './server-url.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-certificates-'));
let server: TestServer;
let url: string;

beforeAll(async () => {
  makeAuthority('ca');
  makeAuthority('other-ca');
  makeCertificate('server', 'ca', 'subjectAltName=DNS:localhost');
  server = await startTestServer({
    prepare(data) {
      for (const name of ['server.pem', 'server.key']) copyFileSync(join(folder, name), join(data, name));
      const settings = "ssl = on\nssl_cert_file = 'server.pem'\nssl_key_file = 'server.key'\n";
      appendFileSync(join(data, 'postgresql.conf'), settings);
    },
  });
  url = await server.createDatabase();
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

/** @returns whether the connections are encrypted */
async function connect(host: string, query: string): Promise<boolean> {
  const named = new URL(url);
  named.hostname = host;
  const address = parseServerUrl(`${named.href}?${query.replace(/sslrootcert=([\w-]+)/, rootOf)}`);
  const { store } = await serverPostgres({ address, direct: address, connectionsMax: 1, waitMsMax: 5000 });
  try {
    const { rows } = await sql<{ ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`.execute(
      store.db,
    );
    return rows[0]!.ssl;
  } finally {
    await store.close();
  }
}

const rootOf = (_all: string, name: string) => `sslrootcert=${encodeURIComponent(join(folder, `${name}.pem`))}`;

test.each([
  ['localhost', 'sslmode=disable', false],
  ['localhost', '', true],
  ['127.0.0.1', 'sslmode=require', true],
  ['127.0.0.1', 'sslmode=verify-ca&sslrootcert=ca', true],
  ['localhost', 'sslmode=verify-full&sslrootcert=ca', true],
  ['localhost', 'sslrootcert=ca', true],
])('connects to %s with %s, encrypted: %s', async (host, query, isEncrypted) => {
  expect(await connect(host, query)).toBe(isEncrypted);
});

test.each([
  ['localhost', 'sslmode=verify-full&sslrootcert=other-ca', /cannot be used: .*(self-signed|unable to)/],
  ['localhost', 'sslmode=verify-full', /cannot be used: .*(self-signed|unable to)/],
  ['127.0.0.1', 'sslmode=verify-full&sslrootcert=ca', /cannot be used: .*does not match certificate/],
  ['127.0.0.1', 'sslmode=require&sslrootcert=other-ca', /cannot be used: .*(self-signed|unable to)/],
  [
    'localhost',
    'sslmode=verify-full&sslrootcert=missing',
    /The sslrootcert of HEDDLE_POSTGRES_URL cannot be read: .*ENOENT/,
  ],
])('does not connect to %s with %s', async (host, query, message) => {
  await expect(connect(host, query)).rejects.toThrow(message);
});

test('without TLS on the server, prefer does without it and require does not connect', async () => {
  const address = parseServerUrl(url);
  const { store } = await serverPostgres({ address, direct: address, connectionsMax: 1, waitMsMax: 5000 });
  await sql`ALTER SYSTEM SET ssl = off`.execute(store.db);
  await sql`SELECT pg_reload_conf()`.execute(store.db);
  await store.close();
  await expect.poll(() => connect('localhost', ''), { timeout: 10_000 }).toBe(false);
  await expect(connect('localhost', 'sslmode=require')).rejects.toThrow('does not support SSL');
});

function makeAuthority(name: string): void {
  openssl(...['req', '-x509', '-subj', `/CN=${name}`, ...newKey(name), '-out', `${name}.pem`]);
}

function makeCertificate(name: string, authority: string, extension: string): void {
  writeFileSync(join(folder, `${name}.ext`), extension);
  openssl(...['req', '-subj', `/CN=${name}`, ...newKey(name), '-out', `${name}.csr`]);
  const signer = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
  openssl(...['x509', '-req', '-in', `${name}.csr`, ...signer, '-extfile', `${name}.ext`, '-out', `${name}.pem`]);
}

function newKey(name: string): string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`];
}

function openssl(...options: string[]): void {
  execFileSync('openssl', options, { cwd: folder, stdio: 'pipe' });
}
