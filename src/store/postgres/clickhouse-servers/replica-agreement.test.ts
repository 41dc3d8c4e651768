import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Agreement } from '../../peers/agreement.ts';
import { migratePostgres } from '../migrate.ts';
import type { Postgres } from '../postgres.ts';
import { serverPostgres } from '../server/open.ts';
import { parseServerUrl } from '../server/server-url.ts';
import { startTestServer, type TestServer } from '../testing/postgres-server.ts';
import { openReplicaAgreement } from './replica-agreement.ts';

/** On a server, because transactions of several processes overlap there alone. */
let server: TestServer;
let postgres: Postgres;
beforeAll(async () => {
  server = await startTestServer();
  const address = parseServerUrl(await server.createDatabase());
  postgres = (await serverPostgres({ address, direct: address, connectionsMax: 8, waitMsMax: 0 })).store;
  await migratePostgres(postgres);
});
beforeEach(async () => {
  await postgres.db.deleteFrom('clickhouse_processes').execute();
  await postgres.db.updateTable('clickhouse_servers').set({ replica: null, term: 0, is_ready: false }).execute();
});
afterAll(async () => {
  await postgres?.close();
  await server?.close();
});

const processOf = (leaseMs?: number) => openReplicaAgreement(postgres, { isAlone: false }, leaseMs);

async function settled(agreement: Agreement, value: string): Promise<void> {
  await agreement.renew(0);
  await agreement.choose(0, value);
  await agreement.renew(1);
  await agreement.confirm(1);
}

test('a change waits for each process that used the replica before', async () => {
  const [a, b] = [processOf(), processOf()];
  await settled(a, 'x');
  expect(await b.renew(1)).toEqual({ value: 'x', term: 1, isReady: true, behind: 0 });
  await a.choose(1, 'y');
  expect(await a.renew(2)).toEqual({ value: 'y', term: 2, isReady: false, behind: 1 });
  expect(await b.renew(1)).toMatchObject({ value: 'y', behind: 1 });
  expect(await b.renew(2)).toMatchObject({ behind: 0 });
  await a.confirm(2);
  expect(await b.renew(2)).toMatchObject({ isReady: true });
});

test('a change does not wait for a process whose lease has ended, nor for one that has left', async () => {
  const [a, b, c] = [processOf(), processOf(200), processOf()];
  await settled(a, 'x');
  await b.renew(1);
  await c.renew(1);
  await a.choose(1, 'y');
  expect(await a.renew(2)).toMatchObject({ behind: 2 });
  await c.leave();
  await setTimeout(250);
  expect(await a.renew(2)).toMatchObject({ behind: 0 });
});

test('of several changes at once one counts, and an outdated confirmation does not', async () => {
  const processes = Array.from({ length: 6 }, () => processOf());
  await settled(processes[0]!, 'x');
  await Promise.all(processes.map((each, index) => each.choose(1, `y${index}`)));
  const found = await Promise.all(processes.map((each) => each.renew(2)));
  expect(new Set(found.map(({ value }) => value)).size).toBe(1);
  expect(found[0]).toMatchObject({ term: 2, isReady: false });
  await processes[0]!.confirm(1);
  expect(await processes[0]!.renew(2)).toMatchObject({ isReady: false });
});

test('a lease that is renewed during a change sees the change, or is waited for', async () => {
  for (let round = 0; round < 30; round++) {
    await postgres.db.deleteFrom('clickhouse_processes').execute();
    await postgres.db.updateTable('clickhouse_servers').set({ replica: 'x', term: 1, is_ready: true }).execute();
    const [a, b] = [processOf(), processOf()];
    const change = a.choose(1, 'y').then(() => a.renew(2));
    const [changed, seen] = await Promise.all([change, b.renew(1)]);
    const mayUseOld = seen.term === 1 && seen.isReady;
    if (mayUseOld) expect(changed.behind).toBe(1);
  }
});

test('a process that is alone needs no lease', async () => {
  const other = processOf();
  await settled(other, 'x');
  const alone = openReplicaAgreement(postgres, { isAlone: true });
  expect(alone.leaseMs).toBeNull();
  await alone.choose(1, 'y');
  expect(await alone.renew(2)).toEqual({ value: 'y', term: 2, isReady: false, behind: 0 });
});
