import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import type { CallRow } from '../../../../../../domain/calls/call-row.ts';
import type { Peers } from '../../../../../peers/peers.ts';
import { migratePostgres } from '../../../../../postgres/migrate.ts';
import { openServerPeers } from '../../../../../postgres/peers/server-peers.ts';
import type { Postgres } from '../../../../../postgres/postgres.ts';
import { connectionOptions } from '../../../../../postgres/server/connection-options.ts';
import { serverPostgres } from '../../../../../postgres/server/open.ts';
import { parseServerUrl } from '../../../../../postgres/server/server-url.ts';
import { startTestServer, type TestServer } from '../../../../../postgres/testing/postgres-server.ts';
import type { ClickHouse } from '../../../../clickhouse.ts';
import { findRows } from '../../../find/find-rows.ts';
import { openCallStore } from '../../../testing/call-store.ts';
import { type CallWriter, openCallWriter } from '../../call-writer.ts';

/** Three writers of the calls of one store, as three processes have them, for one test file. */
export function writersForFile() {
  /** Before and after each statement, the three pause for up to `pauseMsMax`, rarely for long. */
  const timing = { pauseMsMax: 0, random: () => 0 };
  const opened: Peers[] = [];
  let store: { clickhouse: ClickHouse; close(): Promise<void> };
  let server: TestServer;
  let postgres: Postgres;
  let url: string;
  let writers: CallWriter[] = [];

  beforeAll(async () => {
    store = await openCallStore();
    server = await startTestServer();
    url = `${await server.createDatabase()}?schema=other`;
    const address = parseServerUrl(url);
    postgres = (await serverPostgres({ address, direct: address, connectionsMax: 8, waitMsMax: 0 })).store;
    await migratePostgres(postgres);
    writers = await Promise.all([0, 1, 2].map(() => openWriter(pausing(store.clickhouse))));
  });
  afterAll(async () => {
    for (const writer of writers) await writer.drain();
    for (const peers of opened) await peers.close();
    await postgres.close();
    await server.close();
    await store.close();
  });

  async function openPeers(leaseMs = 2000): Promise<Peers> {
    const direct = await connectionOptions(parseServerUrl(url));
    const peers = await openServerPeers(postgres, { direct, leaseMs, onError: () => {} });
    opened.push(peers);
    return peers;
  }

  async function openWriter(clickhouse: ClickHouse): Promise<CallWriter> {
    return openCallWriter(clickhouse, await openPeers());
  }

  function pausing(clickhouse: ClickHouse): ClickHouse {
    const pause = () => setTimeout(timing.pauseMsMax * timing.random() ** 4);
    return {
      ...clickhouse,
      async query<Row>(...request: Parameters<ClickHouse['query']>) {
        await pause();
        const rows = await clickhouse.query<Row>(...request);
        await pause();
        return rows;
      },
      async insert(...request) {
        await pause();
        await clickhouse.insert(...request);
        await pause();
      },
    };
  }

  return {
    timing,
    openPeers,
    openWriter,
    get clickhouse() {
      return store.clickhouse;
    },
    get postgres() {
      return postgres;
    },
    get server() {
      return server;
    },
    get writers() {
      return writers;
    },

    async stored({ projectId, id }: { projectId: string; id: string }): Promise<CallRow> {
      return (await findRows(store.clickhouse, projectId, [id]))[0]!;
    },

    /** How many rows each call of the project `p` has that are not deleted. */
    async liveRows(): Promise<Map<string, number>> {
      const rows = await store.clickhouse.query<{ id: string; count: number }>(
        "SELECT id, count() AS count FROM calls FINAL WHERE project_id = 'p' AND is_deleted = 0 GROUP BY id",
      );
      return new Map(rows.map(({ id, count }) => [id, count]));
    },

    /** Lets the lease of a process end, and comes back when it has a new one. */
    async lapse(peers: Peers): Promise<void> {
      await postgres.executeSql('ALTER TABLE other.processes RENAME TO away');
      await expect.poll(() => peers.isUpToDate(), { timeout: 20_000 }).toBe(false);
      await postgres.executeSql('ALTER TABLE other.away RENAME TO processes');
      await expect.poll(() => peers.isUpToDate(), { timeout: 20_000 }).toBe(true);
    },
  };
}
