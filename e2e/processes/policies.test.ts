import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seeded } from '../../testing/seeded.ts';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import { swiftEnvironment } from '../stores/environment.ts';
import { type RemoteStores, startRemoteStores } from '../stores/remote-stores.ts';
import { assignElsewhere } from './assign-units.ts';

const seed = Number(process.env.HEDDLE_TEST_SEED ?? Date.now() % 1e6);
const unitsOfAll = 100_000;
const threads = Array.from({ length: 250 }, (_, i) => `t${i}`);

describe.skipIf(!swiftEnvironment.isReady())(`a policy at three processes (seed ${seed})`, () => {
  const directories = [newDataDirectory(), newDataDirectory(), newDataDirectory()];
  const random = seeded(seed);
  let stores: RemoteStores;
  let settings: Record<string, string>;
  let servers: Heddle[] = [];

  beforeAll(async () => {
    stores = await startRemoteStores();
    settings = { ...(await stores.newDeployment()), HEDDLE_CLICKHOUSE_INSERTS_PER_SECOND_MAX: '1000' };
    servers = await Promise.all(directories.map((data) => startHeddle(data, settings)));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.end('SIGKILL')));
    for (const each of directories) rmSync(each, { recursive: true, force: true });
    await stores?.close();
  });

  const assignedTo = (name: string) =>
    Promise.all(servers.map(() => assignElsewhere(settings.HEDDLE_POSTGRES_URL!, name, unitsOfAll)));

  /** The variant that a server gives a thread; null if it was killed before it answered. */
  async function variantAt(server: Heddle, policy: string, thread: string): Promise<string | null> {
    const headers = {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      'x-session-id': thread,
    };
    const body = { model: policy, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    try {
      const answer = await fetch(`${server.url}/v1/chat/completions`, request);
      const text = await answer.text();
      return answer.status === 200 ? answer.headers.get('x-heddle-variant') : `${answer.status} ${text}`;
    } catch {
      return null;
    }
  }

  /** The variants of all threads, each from any of the servers. */
  async function variantsAtAny(policy: string): Promise<(string | null)[]> {
    const found: (string | null)[] = threads.map(() => null);
    const waiting = [...threads.keys()];
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
          const server = servers[Math.floor(random() * servers.length)]!;
          found[place] = await variantAt(server, policy, threads[place]!);
        }
      }),
    );
    return found;
  }

  test('gives each thread the same variant, also after a kill -9, a restart and a change of its shares', async () => {
    const project = servers[0]!.newProject();
    const path = `/v2/${project}/policies`;
    const policy = `policy:///${project}/bot`;
    const plan = (shares: Record<string, number>) => ({
      variants: Object.keys(shares).map((name) => ({ name, model: 'heddle/tiny' })),
      ...{ incumbent: 'now', traffic: { kind: 'split', shares } },
    });
    const made = await servers[0]!.post(path, { name: 'bot', ...plan({ now: 0.5, next: 0.3, other: 0.2 }) });
    expect(made.status, made.text).toBe(200);

    const [first, ...others] = await assignedTo('bot');
    for (const other of others) expect(other).toEqual(first);
    for (const [name, share] of Object.entries({ now: 0.5, next: 0.3, other: 0.2 }))
      expect(Math.abs(first!.counts[name]! / unitsOfAll - share)).toBeLessThan(0.01);
    const wanted = first!.first.slice(0, threads.length);
    expect(await variantsAtAny(policy)).toEqual(wanted);

    const running = variantsAtAny(policy);
    await servers[1]!.end('SIGKILL');
    const beside = await running;
    for (const [place, variant] of beside.entries()) if (variant !== null) expect(variant).toBe(wanted[place]);
    expect(beside.filter((variant) => variant !== null).length).toBeGreaterThan(threads.length / 3);
    servers[1] = await startHeddle(directories[1]!, settings);
    expect(await variantsAtAny(policy)).toEqual(wanted);
    expect(await assignedTo('bot')).toEqual([first, first, first]);

    const shares = { now: 0.3, next: 0.5, other: 0.2 };
    const changed = await servers[2]!.post(`${path}/bot/versions`, plan(shares));
    expect(changed.status, changed.text).toBe(200);
    // The answer says that every process uses the new version.
    const after = await variantsAtAny(policy);
    const [second, ...rest] = await assignedTo('bot');
    for (const other of rest) expect(other).toEqual(second);
    expect(second!.version).toBe(2);
    expect(after).toEqual(second!.first.slice(0, threads.length));
    const moved = after.filter((variant, place) => variant !== wanted[place]);
    expect(new Set(moved)).toEqual(new Set(['next']));

    // Whoever watches policies, each thread counts once in a version, also those that the killed process answered.
    const unitsIn = async (server: Heddle) => {
      const { versions } = (await server.get(`${path}/bot`)).json;
      return versions.map(({ look }: any) => look?.variants.reduce((sum: number, { units }: any) => sum + units, 0));
    };
    for (const server of servers)
      await expect.poll(() => unitsIn(server), { timeout: 60_000 }).toEqual([threads.length, threads.length]);
  }, 300_000);
});
