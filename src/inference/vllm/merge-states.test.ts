import { expect, test } from 'vitest';
import { mergeStates } from './merge-states.ts';
import { chunksOf } from './servers/chunks-of.ts';
import { asked, idsOf, openServers, startDouble } from './servers/testing/open-servers.ts';

const limits = { circuit: { failuresMax: 1, firstMs: 60_000, waitMsMax: 60_000 } };

/** The states of a double, as the clients of two processes find them. */
async function twoClients() {
  const double = await startDouble();
  const clients = [await openServers([double.url], { limits }), await openServers([double.url], { limits })] as const;
  const [own, other] = clients;
  const merged = () => mergeStates(own.states(), [other.states()])[0]!;
  return { double, own, other, merged };
}

test('a server is in the worst state that a process has found, with its reason and time', async () => {
  const { double, own, other, merged } = await twoClients();
  expect(merged()).toMatchObject({ circuit: 'closed', reason: null, since: own.states()[0]!.since });
  double.faults.status = 500;
  await expect(idsOf(chunksOf(asked(), other.complete))).rejects.toMatchObject({ kind: 'unavailable' });
  expect(own.states()).toMatchObject([{ circuit: 'closed' }]);
  expect(merged()).toMatchObject({ circuit: 'open', reason: 'answered 500', since: other.states()[0]!.since });
});

test('a server that all processes find down is down since the first of them', async () => {
  const { double, own, other, merged } = await twoClients();
  await double.stop();
  await other.check();
  await expect.poll(() => Date.now()).toBeGreaterThan(other.states()[0]!.since.getTime());
  await own.check();
  expect(own.states()).toMatchObject([{ circuit: 'open' }]);
  expect(merged().since).toEqual(other.states()[0]!.since);
});

test('requests of all processes are added up', async () => {
  const { double, own, other, merged } = await twoClients();
  double.faults.firstMs = 60_000;
  const stop = new AbortController();
  const asking = [own, other, other].map((each) => idsOf(chunksOf(asked({}, { signal: stop.signal }), each.complete)));
  await expect.poll(double.running).toBe(3);
  expect(merged().inFlight).toBe(3);
  stop.abort(new Error('enough'));
  await Promise.allSettled(asking);
});

test('a server of which another process knows nothing yet stays as it is', async () => {
  const servers = await openServers([(await startDouble()).url]);
  expect(mergeStates(servers.states(), [[]])).toEqual(servers.states());
});
