import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { canMount, mountSmallDisk, type SmallDisk } from '../../disk/testing/small-disk.ts';
import type { OpenedStore } from '../../opened-store.ts';
import type { Postgres } from '../postgres.ts';
import { startTestServer, type TestServer } from '../testing/postgres-server.ts';
import { serverPostgres } from './open.ts';
import { parseServerUrl } from './server-url.ts';

describe.skipIf(!canMount())('PostgreSQL on a disk that fills up (needs the right to mount)', () => {
  let disk: SmallDisk;
  let server: TestServer;
  let opened: OpenedStore<Postgres>;
  beforeAll(async () => {
    disk = mountSmallDisk(300);
    server = await startTestServer({ place: disk.path });
    const address = parseServerUrl(await server.createDatabase());
    opened = await serverPostgres({ address, direct: address, connectionsMax: 4, waitMsMax: 0 });
    await opened.store.executeSql('CREATE TABLE heddle.texts (text text)');
  });
  afterAll(async () => {
    await opened?.store.close();
    await server?.close();
    disk?.remove();
  });

  const texts = sql.table('texts');
  const write = () => sql`INSERT INTO ${texts} VALUES (repeat('heddle ', 500))`.execute(opened.store.db);
  const count = async () => {
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM ${texts}`.execute(opened.store.db);
    return rows[0]!.count;
  };

  /** How a statement fails that is repeated on the full disk, until it fails as wanted. @returns how often it succeeded */
  async function repeatUntil(wanted: 'noSpace' | 'unavailable', work: () => Promise<unknown>): Promise<number> {
    for (let succeeded = 0; ; ) {
      disk.fill(0);
      const failure = await work().then(
        () => null,
        (error) => error,
      );
      if (failure === null) succeeded++;
      else if (failure.kind === wanted) return succeeded;
      else expect(failure).toMatchObject({ kind: 'noSpace' });
    }
  }

  test('writes fail for lack of space, and reads go on', async () => {
    await write();
    expect(1 + (await repeatUntil('noSpace', write))).toBe(await count());
    disk.empty();
    await write();
  });

  test('a server that ends because its log has no room is unavailable, and keeps what was acknowledged', async () => {
    const before = await count();
    // A statement that writes nothing but the log fills its current file.
    const log = sql`SELECT pg_logical_emit_message(false, 'test', repeat('x', 100000))`;
    await repeatUntil('unavailable', () => log.execute(opened.store.db));
    disk.empty();
    const writeAgain = async () => {
      if (!server.isRunning()) await server.start(); // it may still be ending
      await write();
    };
    await vi.waitFor(writeAgain, { timeout: 30_000, interval: 100 });
    expect(await count()).toBe(before + 1);
  });
});
