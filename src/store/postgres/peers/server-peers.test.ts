import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../contract/ids.ts';
import { openAccounts } from '../../../identity/accounts.ts';
import type { Peers, Topic } from '../../peers/peers.ts';
import { migratePostgres } from '../migrate.ts';
import type { Postgres } from '../postgres.ts';
import { connectionOptions } from '../server/connection-options.ts';
import { serverPostgres } from '../server/open.ts';
import { parseServerUrl } from '../server/server-url.ts';
import { startPeerProcess } from '../testing/peer-process.ts';
import { startTestServer, type TestServer } from '../testing/postgres-server.ts';
import { openServerPeers } from './server-peers.ts';

let server: TestServer;
let url: string;
let postgres: Postgres;
const ending: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startTestServer();
  url = await server.createDatabase();
  const address = parseServerUrl(url);
  postgres = (await serverPostgres({ address, direct: address, connectionsMax: 8, waitMsMax: 0 })).store;
  await migratePostgres(postgres);
  await openAccounts(postgres, await openPeers()).ensureOwner({ name: 'ada', apiKey: '' });
});
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});
afterAll(async () => {
  await postgres?.close();
  await server?.close();
});

async function openPeers(leaseMs?: number): Promise<Peers> {
  const direct = await connectionOptions(parseServerUrl(url));
  const peers = await openServerPeers(postgres, { direct, leaseMs, onError: () => {} });
  ending.push(() => peers.close());
  return peers;
}

async function startProcess(leaseMs: number) {
  const started = await startPeerProcess(url, leaseMs);
  ending.push(() => started.end());
  return started;
}

function receivedBy(peers: Peers, topic: Topic): (string | null)[] {
  const received: (string | null)[] = [];
  peers.on(topic, (key) => received.push(key));
  return received;
}

test('every process receives a notice before its sender continues', async () => {
  const processes = [await openPeers(), await openPeers(), await openPeers()];
  const received = processes.map((peers) => receivedBy(peers, 'keys'));
  const others = receivedBy(processes[1]!, 'models');
  for (const [i, peers] of processes.entries()) {
    await peers.notify('keys', `key ${i}`);
    for (const keys of received) expect(keys).toContain(`key ${i}`);
  }
  expect(others).toEqual([]);
});

test('of many notices at the same time, each process receives all', async () => {
  const processes = [await openPeers(), await openPeers(), await openPeers()];
  const received = processes.map((peers) => receivedBy(peers, 'sessions'));
  const keys = Array.from({ length: 45 }, (_, i) => `key ${i}`);
  await Promise.all(keys.map((key, i) => processes[i % 3]!.notify('sessions', key)));
  for (const each of received) expect(new Set(each)).toEqual(new Set(keys));
});

test('an announcement reaches the other processes without a notice', async () => {
  const processes = [await openPeers(), await openPeers(), await openPeers()];
  const received = processes.map((peers) => receivedBy(peers, 'jobs'));
  const noticesBefore = await postgres.db.selectFrom('notices').selectAll().execute();
  const isListening = async () => {
    processes[0]!.announce('jobs', 'train');
    return received.slice(1).every((keys) => keys.includes('train'));
  };
  await expect.poll(isListening, { timeout: 10_000 }).toBe(true);
  expect(received[0]).toEqual([]);
  expect(await postgres.db.selectFrom('notices').selectAll().execute()).toEqual(noticesBefore);
});

test('a process that cannot listen receives notices nevertheless, and listens again', async () => {
  const [sender, other] = [await openPeers(), await openPeers()];
  const received = receivedBy(other, 'keys');
  for (let round = 0; round < 3; round++) {
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`.execute(postgres.db);
    await sender.notify('keys', `key ${round}`);
    expect(received).toContain(`key ${round}`);
  }
  const isListening = async () => {
    const { rows } = await sql`SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`.execute(postgres.db);
    return rows.length;
  };
  await expect.poll(isListening, { timeout: 10_000 }).toBe(2);
});

test('a process that can neither listen nor query uses nothing from memory', async () => {
  const address = parseServerUrl(url);
  const own = await serverPostgres({
    address: { ...address, schema: 'cut_off' },
    direct: { ...address, schema: 'cut_off' },
    connectionsMax: 2,
  });
  await migratePostgres(own.store);
  const direct = await connectionOptions(address);
  const errors: string[] = [];
  const peers = await openServerPeers(own.store, {
    direct,
    leaseMs: 400,
    onError: (_error, message) => errors.push(message),
  });
  ending.push(() => peers.close());
  expect(peers.isUpToDate()).toBe(true);
  const forgotten = receivedBy(peers, 'keys');
  await sql`ALTER TABLE cut_off.processes RENAME TO away`.execute(postgres.db);
  await expect.poll(() => peers.isUpToDate()).toBe(false);
  expect(forgotten).toEqual([]);
  await sql`ALTER TABLE cut_off.away RENAME TO processes`.execute(postgres.db);
  await expect.poll(() => peers.isUpToDate()).toBe(true);
  expect(forgotten).toContain(null);
  expect(errors).toHaveLength(1);
  await peers.close();
  await own.store.close();
});

test('a revoked key is rejected by every process, including one that was frozen', async () => {
  const peers = await openPeers();
  const accounts = openAccounts(postgres, peers);
  const { id, key } = await accounts.createKey({});
  const processes = [await startProcess(1500), await startProcess(1500)];
  for (const each of processes) expect(await each.ask({ authenticate: key })).toBe('ada');
  processes[0]!.child.kill('SIGSTOP');
  await accounts.revokeKeyById(id);
  const frozen = postgres.db
    .selectFrom('processes')
    .select('id')
    .where('expires_at', '>', sql<Date>`clock_timestamp()`);
  expect(await frozen.execute()).toHaveLength(2); // it was waited for until its lease had ended
  expect(await processes[1]!.ask({ authenticate: key })).toBeNull();
  processes[0]!.child.kill('SIGCONT');
  expect(await processes[0]!.ask({ authenticate: key })).toBeNull();
});

test('the first numbers are not settled before they are released', async () => {
  const address = { ...parseServerUrl(url), schema: 'unnumbered' };
  const own = await serverPostgres({ address, direct: address, connectionsMax: 4 });
  await migratePostgres(own.store);
  const direct = await connectionOptions(parseServerUrl(url));
  const open = () => openServerPeers(own.store, { direct, onError: () => {} });
  const processes = [await open(), await open()];
  const block = await processes[0]!.numbers.take();
  expect(await processes[1]!.numbers.settled()).toBeLessThan(block.first);
  expect(await processes[1]!.numbers.isOver(processes[0]!.id, block.first)).toBe(false);
  block.release();
  for (const peers of processes) await peers.close();
  expect(await processes[1]!.numbers.settled()).toBeGreaterThanOrEqual(block.first);
  await own.store.close();
});

test('a lease is of one process, and of the next one when it is released', async () => {
  const processes = [await openPeers(), await openPeers(), await openPeers()];
  const name = newId();
  const granted = (await Promise.all(processes.map((peers) => peers.lease(name, 5000)))).filter(Boolean);
  expect(granted).toHaveLength(1);
  expect(granted[0]!.isHeld()).toBe(true);
  await granted[0]!.release();
  expect(granted[0]!.isHeld()).toBe(false);
  const next = await processes[1]!.lease(name, 5000);
  expect(next).not.toBeNull();
  await granted[0]!.release(); // does not end the lease of another process
  expect(await processes[2]!.lease(name, 5000)).toBeNull();
  await next!.release();
});

test('operators see the processes, their leases, and how many are counted', async () => {
  await postgres.db.deleteFrom('processes').execute(); // of other tests, which were killed
  const processes = [await openPeers(), await openPeers()];
  const name = newId();
  const lease = await processes[1]!.lease(name, 5000);
  const { processes: found, leases, lockWaits } = (await processes[0]!.overview())!;
  expect(found.map(({ isThis }) => isThis).toSorted()).toEqual([false, true]);
  expect(leases).toContainEqual({ name, process: found.find(({ isThis }) => !isThis)!.name });
  expect(lockWaits).toBe(0);
  expect(processes[1]!.count()).toBe(2);
  await lease!.release();
  expect((await processes[0]!.overview())!.leases.map((each) => each.name)).not.toContain(name);
});

test('a lease is renewed, and ends with its process', async () => {
  const peers = await openPeers();
  const [frozen, killed] = [await startProcess(800), await startProcess(800)];
  const [ofFrozen, ofKilled] = [newId(), newId()];
  expect(await frozen.ask({ lease: ofFrozen })).toBe(true);
  expect(await killed.ask({ lease: ofKilled })).toBe(true);
  await setTimeout(1200);
  expect(await frozen.ask({ isHeld: ofFrozen })).toBe(true);
  expect(await peers.lease(ofFrozen, 800)).toBeNull();

  frozen.child.kill('SIGSTOP');
  await killed.end();
  const take = async (name: string) => (await peers.lease(name, 5000)) !== null;
  for (const name of [ofFrozen, ofKilled]) await expect.poll(() => take(name), { timeout: 5000 }).toBe(true);
  frozen.child.kill('SIGCONT');
  expect(await frozen.ask({ isHeld: ofFrozen })).toBe(false);
  expect(await frozen.ask({ lease: ofFrozen })).toBe(false);
});
