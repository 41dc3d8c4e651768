import { expect, test } from 'vitest';
import type { ModelReference } from '../../chat/types.ts';
import type { OfferingProcess, ProcessOffer } from '../../domain/process-offer.ts';
import type { AdapterId } from '../../engine/adapter-id.ts';
import { overflowKey, route } from './route.ts';

const model: ModelReference = { id: 'm', name: 'm', adapter: null };
const conversations = Array.from({ length: 3000 }, (_, i) => `conversation ${i}`);

function offering(id: string, offer: Partial<ProcessOffer> = {}): OfferingProcess {
  const nothing = { protocol: '1', host: '127.0.0.1', port: 1, open: [], withoutRoom: [], overflow: [] };
  return { id, offer: { ...nothing, files: ['m'], ...offer } };
}

const idsOf = (processes: OfferingProcess[], beginning: string, of = model) =>
  route(processes, of, beginning).map(({ process }) => process.id);

test('all processes find the same order, in whatever order they know each other', () => {
  const processes = ['a', 'b', 'c', 'd'].map((id) => offering(id));
  for (const beginning of conversations.slice(0, 50)) {
    expect(idsOf(processes.toReversed(), beginning)).toEqual(idsOf(processes, beginning));
  }
});

test('conversations are spread evenly', () => {
  const processes = ['a', 'b', 'c'].map((id) => offering(id));
  for (const { id } of processes) {
    const share = conversations.filter((each) => idsOf(processes, each)[0] === id).length / conversations.length;
    expect(Math.abs(share - 1 / 3)).toBeLessThan(0.05);
  }
});

test('when a process leaves, only its conversations move', () => {
  const processes = ['a', 'b', 'c'].map((id) => offering(id));
  const without = processes.slice(0, 2);
  for (const each of conversations) {
    const [first] = idsOf(processes, each);
    if (first !== 'c') expect(idsOf(without, each)[0]).toBe(first);
  }
});

test('only processes with the files of the model, and of an installed adapter, are asked', () => {
  const adapter = { id: 'x' as AdapterId, title: 'x', files: { model: 'x' } };
  const processes = [offering('a'), offering('b', { files: ['other', 'x'] }), offering('c', { files: ['m', 'x'] })];
  expect(idsOf(processes, '').toSorted()).toEqual(['a', 'c']);
  expect(idsOf(processes, '', { ...model, adapter })).toEqual(['c']);
  expect(idsOf(processes, '', { ...model, adapter: { ...adapter, files: { folder: '/x' } } })).toEqual([]);
  const inBlobs = { ...model, adapter: { ...adapter, files: { blobs: 'x' } } };
  expect(idsOf(processes, '', inBlobs).toSorted()).toEqual(['a', 'c']);
});

test('processes that would have to close other models come last, unless they have this one open', () => {
  const open = [{ id: 'm', adapters: [], hasRoomForAdapters: true }];
  const processes = [offering('a', { withoutRoom: ['m'] }), offering('b', { withoutRoom: ['m'], open }), offering('c')];
  for (const each of conversations.slice(0, 50)) expect(idsOf(processes, each)[2]).toBe('a');
});

test('with full adapters, those that have the adapter come first', () => {
  const having = (adapters: string[]) => ({ open: [{ id: 'm', adapters, hasRoomForAdapters: false }] });
  const processes = [offering('a', having(['y'])), offering('b', having(['x'])), offering('c', having(['z']))];
  const adapter = { id: 'x' as AdapterId, title: 'x', files: { blobs: 'x' } };
  for (const each of conversations.slice(0, 50)) expect(idsOf(processes, each, { ...model, adapter })[0]).toBe('b');
});

test('a conversation stays where it went because its process was full', () => {
  const processes = ['a', 'b', 'c'].map((id) => offering(id));
  for (const beginning of conversations.slice(0, 50)) {
    const [home, second] = idsOf(processes, beginning);
    const overflow = overflowKey(model, beginning);
    const now = processes.map((each) => (each.id === second ? offering(each.id, { overflow: [overflow] }) : each));
    const found = route(now, model, beginning);
    expect(found.map(({ process }) => process.id).slice(0, 2)).toEqual([second, home]);
    expect(found.map(({ isFirst }) => isFirst)).toEqual([false, true, false]);
    expect(idsOf(now, `other ${beginning}`)).toEqual(idsOf(processes, `other ${beginning}`));
  }
});
