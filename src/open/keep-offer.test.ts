import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { ProcessOffer } from '../domain/process-offer.ts';
import { keepOffer } from './keep-offer.ts';

/** A process that offers one model, and what it has sent to the others. */
async function open() {
  const sent: (ProcessOffer | null)[] = [];
  const draining = new AbortController();
  const kept = await keepOffer({
    address: { protocol: '1', host: '127.0.0.1', port: 1 },
    peers: { on: () => {}, offer: (offer) => sent.push(offer) },
    models: { idsWithFiles: async () => ['m'], list: async () => [] },
    memory: { availableBytes: 0 },
    own: { openModels: () => [] },
    draining: draining.signal,
  });
  onTestFinished(() => kept.close());
  return { ...kept, sent, draining, overflows: () => sent.map((offer) => offer?.overflow.toSorted() ?? null) };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});
const tick = () => vi.advanceTimersByTimeAsync(500);

test('the first of several conversations is announced at once, the others together', async () => {
  const { addOverflow, overflows } = await open();
  addOverflow('a');
  expect(overflows()).toEqual([[], ['a']]);
  for (const each of ['b', 'c', 'd']) addOverflow(each);
  expect(overflows()).toHaveLength(2);
  await tick();
  expect(overflows()).toEqual([[], ['a'], ['a', 'b', 'c', 'd']]);
  addOverflow('e');
  expect(overflows()).toHaveLength(4);
});

test('a conversation that is announced at once postpones the next announcement', async () => {
  const { addOverflow, overflows } = await open();
  await vi.advanceTimersByTimeAsync(400);
  addOverflow('a');
  addOverflow('b');
  await vi.advanceTimersByTimeAsync(400);
  expect(overflows()).toEqual([[], ['a']]);
  await vi.advanceTimersByTimeAsync(100);
  expect(overflows()).toEqual([[], ['a'], ['a', 'b']]);
});

test('later turns of a conversation are not announced again, and hold up no other', async () => {
  const { addOverflow, overflows, draining } = await open();
  for (const each of ['a', 'b']) addOverflow(each);
  await tick();
  await tick();
  const announced = [[], ['a'], ['a', 'b']];
  expect(overflows()).toEqual(announced);
  addOverflow('a');
  await tick();
  expect(overflows()).toEqual(announced);
  addOverflow('b');
  addOverflow('c');
  draining.abort();
  expect(overflows()).toEqual([...announced, ['a', 'b', 'c'], null]);
});
