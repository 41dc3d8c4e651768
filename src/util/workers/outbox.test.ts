import { expect, test } from 'vitest';
import type { FromWorker } from './messages.ts';
import { Outbox } from './outbox.ts';

type Said = { index: number | null; text: string };
const said = (id: number, index: number | null, text: string) => ({
  type: 'event' as const,
  id,
  event: { index, text },
});
const ready = { type: 'ready' as const };
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** An outbox whose messages are written when the test says so. */
function outboxByHand() {
  const sent: FromWorker[][] = [];
  let written = () => {};
  const joining = {
    keyOf: ({ index }: Said) => index,
    join(waiting: Said, later: Said) {
      waiting.text += later.text;
    },
  };
  const outbox = new Outbox((messages, _transfer, whenWritten) => {
    sent.push(messages);
    written = whenWritten;
  }, joining);
  return { outbox, sent, write: () => written() };
}

test('sends the events of one step in one message', async () => {
  const { outbox, sent } = outboxByHand();
  for (let id = 1; id <= 3; id++) outbox.add(said(id, 0, 'x'));
  expect(sent).toEqual([]);
  await turn();
  expect(sent.map((message) => message.length)).toEqual([3]);
});

test('while a message is being written, later events wait as one for each key of each request', async () => {
  const { outbox, sent, write } = outboxByHand();
  outbox.add(ready);
  await turn();
  for (let step = 0; step < 1_000; step++) {
    for (const id of [1, 2]) for (const index of [0, 1]) outbox.add(said(id, index, 'x'));
  }
  await turn();
  expect(sent).toHaveLength(1);
  write();
  expect(sent).toHaveLength(2);
  expect(sent[1]).toHaveLength(4);
  expect(sent[1]![0]).toMatchObject({ id: 1, event: { index: 0, text: 'x'.repeat(1_000) } });
});

test('the result of a request comes after all its events, and nothing is sent twice', async () => {
  const { outbox, sent, write } = outboxByHand();
  outbox.add(ready);
  await turn();
  outbox.add(said(1, null, 'prompt'));
  outbox.add(said(1, 0, 'a'));
  outbox.add({ type: 'result', id: 1, value: null });
  outbox.add(said(2, 0, 'b'));
  await turn();
  write();
  write();
  await turn();
  const order = sent
    .flat()
    .map((each) => (each.type === 'event' ? `${each.id} ${(each.event as Said).text}` : each.type));
  expect(order).toEqual(['ready', '1 prompt', '1 a', 'result', '2 b']);
});

test('what is held is sent as one message when it is released', async () => {
  const { outbox, sent, write } = outboxByHand();
  let isWritten = false;
  outbox.hold();
  for (let id = 1; id <= 3; id++) {
    outbox.add({ type: 'result', id, value: id });
    await turn();
  }
  expect(sent).toEqual([]);
  outbox.release(() => {
    isWritten = true;
  });
  expect(sent.map((message) => message.length)).toEqual([3]);
  expect(isWritten).toBe(false);
  write();
  expect(isWritten).toBe(true);
});
