import { afterAll, beforeAll } from 'vitest';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import { type RemoteStores, startRemoteStores } from '../stores/remote-stores.ts';

/** Servers on the same stores, for the tests of a file. Requests go to any of them. */
export function processesForFile(count: number) {
  const servers: Heddle[] = [];
  let stores: RemoteStores;
  beforeAll(async () => {
    stores = await startRemoteStores();
    const settings = { ...(await stores.newDeployment()), HEDDLE_CLICKHOUSE_INSERTS_PER_SECOND_MAX: '1000' };
    const started = Array.from({ length: count }, () => startHeddle(newDataDirectory(), settings));
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

/** Numbers from 0 to 1 that follow from a seed (Mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
