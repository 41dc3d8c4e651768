import { expect, test } from 'vitest';
import type { OutputDelta } from '../output/deltas.ts';
import type { ChoiceEvent } from '../types.ts';
import { messagesOfItems } from './messages-of-items.ts';
import { OutputBuilder } from './output-builder.ts';

const response = 'resp_0123';
const event = (deltas: OutputDelta[], finish: ChoiceEvent['finish'] = null): ChoiceEvent => ({
  kind: 'choice',
  index: 0,
  ids: [1],
  logprobs: [],
  drawnLogprobs: [],
  deltas,
  finish,
});
const stop = { finishReason: 'stop', stopReason: null } as const;

test('an answer that reasons, speaks and calls becomes three items, whose events are in order [chat 208]', () => {
  const builder = new OutputBuilder({ responseId: response, showsLogprobs: false, showsEncoded: true });
  const events = [
    event([{ kind: 'reasoning', text: 'Hm' }]),
    event([{ kind: 'reasoning', text: 'm' }]),
    event([{ kind: 'content', text: 'Wait' }]),
    event([{ kind: 'tool_call', index: 0, id: 'call_1', name: 'f', arguments: '' }]),
    event([{ kind: 'tool_call', index: 0, arguments: '{}' }]),
    event([{ kind: 'tool_call', index: 1, id: 'call_2', name: 'g', arguments: '{"a":1}' }], stop),
  ].flatMap((each) => builder.take(each));
  expect(events.map(({ type }) => type.slice('response.'.length))).toEqual([
    ...['output_item.added', 'content_part.added', 'reasoning_text.delta', 'reasoning_text.delta'],
    ...['reasoning_text.done', 'content_part.done', 'output_item.done'],
    ...['output_item.added', 'content_part.added', 'output_text.delta'],
    ...['output_text.done', 'content_part.done', 'output_item.done'],
    ...['output_item.added', 'function_call_arguments.delta'],
    ...['function_call_arguments.done', 'output_item.done'],
    ...['output_item.added', 'function_call_arguments.delta'],
    ...['function_call_arguments.done', 'output_item.done'],
  ]);
  expect(events[0]).toMatchObject({ output_index: 0, item: { type: 'reasoning', content: [], status: 'in_progress' } });
  expect(events[13]).toMatchObject({ output_index: 2, item: { call_id: 'call_1', name: 'f', arguments: '' } });
  expect(events.at(-2)).toMatchObject({ output_index: 3, name: 'g', arguments: '{"a":1}' });
  expect(builder.items).toMatchObject([
    { id: 'rs_0123_0', content: [{ type: 'reasoning_text', text: 'Hmm' }], status: 'completed' },
    { id: 'msg_0123_1', content: [{ type: 'output_text', text: 'Wait' }] },
    { id: 'fc_0123_2', call_id: 'call_1', arguments: '{}' },
    { id: 'fc_0123_3', call_id: 'call_2', arguments: '{"a":1}' },
  ]);
});

test('an answer that is cut ends with an incomplete item, and one without text has an empty message', () => {
  const cut = new OutputBuilder({ responseId: response, showsLogprobs: false, showsEncoded: false });
  cut.take(event([{ kind: 'content', text: 'Wa' }], { finishReason: 'length', stopReason: null }));
  expect(cut.items).toMatchObject([{ type: 'message', status: 'incomplete' }]);
  const empty = new OutputBuilder({ responseId: response, showsLogprobs: false, showsEncoded: false });
  empty.take(event([], stop));
  expect(empty.items).toMatchObject([{ type: 'message', status: 'completed', content: [{ text: '' }] }]);
});

test('items become the messages of a chat again, reasoning from any of its forms [chat 209]', () => {
  const builder = new OutputBuilder({ responseId: response, showsLogprobs: false, showsEncoded: true });
  builder.take(event([{ kind: 'reasoning', text: 'Hmm' }]));
  builder.take(event([{ kind: 'content', text: 'Wait' }]));
  builder.take(event([{ kind: 'tool_call', index: 0, id: 'call_1', name: 'f', arguments: '{}' }], stop));
  const [reasoning, ...others] = builder.items;
  const encoded = { ...reasoning, content: [] };
  const answer = { type: 'function_call_output', call_id: 'call_1', output: '7' };
  for (const first of [reasoning!, encoded]) {
    const items = [{ role: 'user', content: 'Hi' }, first, ...others, answer] as Parameters<typeof messagesOfItems>[1];
    expect(messagesOfItems('Be kind', items)).toEqual([
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        reasoning_content: 'Hmm',
        content: [expect.objectContaining({ text: 'Wait' })],
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '7' },
    ]);
  }
});

test('instructions at the beginning are one system message; what an assistant says later is another message', () => {
  const items = [
    { role: 'developer', content: 'Be brief' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'One' },
    { role: 'assistant', content: 'Two' },
  ];
  expect(messagesOfItems('Be kind', items)).toEqual([
    { role: 'system', content: 'Be kind\n\nBe brief' },
    ...items.slice(1),
  ]);
});
