import { expect, test } from 'vitest';
import type { ChoiceEvent, GenerationEvent } from '../../chat/types.ts';
import { EventQueue } from './event-queue.ts';

const said = (index: number, text: string, more: Partial<ChoiceEvent> = {}): ChoiceEvent => ({
  kind: 'choice',
  index,
  ids: [text.length],
  logprobs: [],
  drawnLogprobs: [],
  deltas: [{ kind: 'content', text }],
  finish: null,
  ...more,
});

async function read(queue: EventQueue): Promise<GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  for await (const event of queue) events.push(event);
  return events;
}

test('joins the events of a choice that a slow reader has not read [chat 164]', async () => {
  const queue = new EventQueue(() => {});
  queue.push({ kind: 'prompt', cachedTokens: 0, promptLogprobs: null, echoedTokens: null });
  for (let i = 0; i < 1_000; i++) queue.push(said(i % 2, 'x'));
  queue.push(said(0, '!', { finish: { finishReason: 'stop', stopReason: null } }));
  queue.end(null);
  const [prompt, first, second, ...rest] = await read(queue);
  expect([prompt!.kind, rest]).toEqual(['prompt', []]);
  expect(first).toMatchObject({
    index: 0,
    deltas: [{ text: `${'x'.repeat(500)}!` }],
    finish: { finishReason: 'stop' },
  });
  expect((second as ChoiceEvent).ids).toHaveLength(500);
});

test('a failure follows the events before it', async () => {
  const queue = new EventQueue(() => {});
  const seen: string[] = [];
  const reading = (async () => {
    for await (const event of queue) seen.push(event.kind);
  })();
  queue.push(said(0, 'a'));
  queue.end(new Error('broken'));
  await expect(reading).rejects.toThrow('broken');
  expect(seen).toEqual(['choice']);
});

test('reports a reader who leaves early', async () => {
  let left = 0;
  const queue = new EventQueue(() => left++);
  queue.push(said(0, 'a'));
  for await (const _ of queue) break;
  expect(left).toBe(1);
});

test('joining leaves the deltas as they are, which the choice keeps for its checks', async () => {
  const queue = new EventQueue(() => {});
  const kept = [said(0, 'a'), said(0, 'b'), said(0, 'c')].map((event) => {
    queue.push(event);
    return event.deltas[0]!;
  });
  queue.end(null);
  expect(await read(queue)).toMatchObject([{ deltas: [{ text: 'abc' }] }]);
  expect(kept.map((delta) => (delta as { text: string }).text)).toEqual(['a', 'b', 'c']);
});
