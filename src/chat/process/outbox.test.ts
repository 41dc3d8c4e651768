import { expect, test } from 'vitest';
import type { ChoiceEvent } from '../types.ts';
import { Outbox } from './outbox.ts';
import type { Told } from './protocol.ts';

const said = (index: number, text: string): ChoiceEvent => ({
  ...{ kind: 'choice', index, ids: [text.length], logprobs: [], deltas: [{ kind: 'content', text }], finish: null },
});

/** An outbox whose messages are written when the test says so. */
function outboxByHand() {
  const sent: Told[][] = [];
  let written = () => {};
  const outbox = new Outbox((told, whenWritten) => {
    sent.push(told);
    written = whenWritten;
  });
  return { outbox, sent, write: () => written() };
}

test('what a step brings is sent in one message', () => {
  const { outbox, sent } = outboxByHand();
  for (let id = 1; id <= 3; id++) outbox.add(id, said(0, 'x'));
  expect(sent).toEqual([]);
  outbox.flush();
  expect(sent.map((message) => message.length)).toEqual([3]);
});

test('while a message is being written, what follows waits as one event for each choice', () => {
  const { outbox, sent, write } = outboxByHand();
  outbox.tell({ type: 'opened' });
  for (let step = 0; step < 1_000; step++) {
    for (const id of [1, 2]) for (const index of [0, 1]) outbox.add(id, said(index, 'x'));
    outbox.flush();
  }
  expect(sent).toHaveLength(1);
  write();
  expect(sent).toHaveLength(2);
  expect(sent[1]).toHaveLength(4);
  expect(sent[1]![0]).toMatchObject({ id: 1, event: { index: 0, deltas: [{ text: 'x'.repeat(1_000) }] } });
});

test('the end of a generation comes after all its events, and nothing is sent twice', () => {
  const { outbox, sent, write } = outboxByHand();
  outbox.tell({ type: 'opened' });
  outbox.add(1, { kind: 'prompt', cachedTokens: 0, promptLogprobs: null });
  outbox.add(1, said(0, 'a'));
  outbox.tell({ type: 'ended', id: 1, error: null });
  outbox.add(2, said(0, 'b'));
  outbox.flush();
  write();
  write();
  outbox.flush();
  const order = sent.flat().map((told) => (told.type === 'event' ? `${told.id} ${told.event.kind}` : told.type));
  expect(order).toEqual(['opened', '1 prompt', '1 choice', 'ended', '2 choice']);
});
