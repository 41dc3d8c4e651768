import { afterAll, beforeAll } from 'vitest';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import { type RemoteStores, startRemoteStores } from '../stores/remote-stores.ts';

/**
 * Servers on the same stores, for the tests of a file. Requests go to any of them.
 * @param ofOne settings of one of them
 */
export function processesForFile(count: number, ofOne: (index: number) => Record<string, string> = () => ({})) {
  const servers: Heddle[] = [];
  let stores: RemoteStores;
  beforeAll(async () => {
    stores = await startRemoteStores();
    const settings = { ...(await stores.newDeployment()), HEDDLE_CLICKHOUSE_INSERTS_PER_SECOND_MAX: '1000' };
    const started = Array.from({ length: count }, (_, index) =>
      startHeddle(newDataDirectory(), { ...settings, ...ofOne(index) }),
    );
    servers.push(...(await Promise.all(started)));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await stores?.close();
  });
  return {
    servers,
    /** One of them. */
    any: (random: () => number) => servers[Math.floor(random() * servers.length)]!,
  };
}
