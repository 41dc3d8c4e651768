import { expect, test } from 'vitest';
import { messagesOfCall, suiteTextsOf, trainingTextsOf } from './compared-texts.ts';
import { groupKeysOfCall, groupKeysOfRow } from './group-keys.ts';

const ask = { role: 'user', content: 'Why?' };
const say = { role: 'assistant', content: 'Because.' };

test('a row of columns is compared by its texts, without its thread, ids and call', () => {
  const row = {
    question: 'Why?',
    expected: { text: 'Because.', score: 1 },
    chat: 'a',
    id: 'x',
    source_call: 'weave:///e/p/call/c1',
  };
  expect(suiteTextsOf(row, 'chat')).toEqual({ texts: ['Why?', 'Because.'], question: 'Why?', callIds: ['c1'] });
});

test('a row of messages is compared by these, then by its other columns', () => {
  const row = { output: 'Because.', messages: [{ role: 'system', content: 'Be brief.' }, ask], tools: [{ name: 'x' }] };
  const read = suiteTextsOf(row, null);
  expect(read).toEqual({ texts: ['Be brief.', 'Why?', 'Because.'], question: 'Why?', callIds: [] });
  expect(suiteTextsOf({ messages: [ask, say, ask] }, null).question).toBeNull();
  const internal = { input: { messages: [ask] }, source_call: 'weave-trace-internal:///01a2/call/c2' };
  expect(suiteTextsOf(internal, null)).toEqual({ texts: ['Why?'], question: 'Why?', callIds: ['c2'] });
});

test('lines of each kind of job are read, with the calls they come from', () => {
  const parts = [{ type: 'text', text: 'Why?' }];
  const call = { function: { name: 'f', arguments: '{"a":1}' } };
  const line = {
    messages: [
      { role: 'user', content: parts },
      { ...say, tool_calls: [call] },
    ],
    call_id: 'c',
  };
  expect(trainingTextsOf(line)).toMatchObject({ chats: [['Why?', 'Because.', '{"a":1}']], callIds: ['c'] });
  const pair = {
    input: { messages: [ask] },
    preferred_output: [{ ...say, call_id: 'good' }],
    non_preferred_output: [{ ...say, content: 'No.', call_id: 'bad' }],
    source_call: 'weave:///e/p/call/c1',
  };
  expect(trainingTextsOf(pair)).toMatchObject({
    chats: [
      ['Why?', 'Because.'],
      ['Why?', 'No.'],
    ],
    callIds: ['c1', 'good', 'bad'],
  });
  const choice = { message: say, finish_reason: 'stop', call_id: 'd' };
  const trajectory = {
    messages_and_choices: [ask, choice],
    additional_histories: [{ messages_and_choices: [ask, say, ask, choice] }],
    metadata: { thread_id: 't' },
  };
  expect(trainingTextsOf({ trajectory })).toEqual({
    chats: [['Why?'], ['Why?', 'Because.', 'Why?']],
    callIds: ['d', 'd'],
    fields: { thread_id: 't' },
  });
  expect(trainingTextsOf({ group: {} })).toBeNull();
});

test.each([
  [{ messages: [ask] }, { choices: [{ message: say }] }],
  [{ messages: [ask] }, say],
  [{ 'gen_ai.input.messages': [ask] }, { 'gen_ai.output.messages': [ask, say] }],
  [{ messages: [ask] }, [ask, say]],
])('reads the messages of a call and its answer: %j', (inputs, output) => {
  expect(messagesOfCall(inputs, output)).toEqual([ask, say]);
});

test('placeholders are no users', () => {
  const call = { traceId: 't', threadId: '', inputs: { user: 'ada' }, attributes: {} };
  expect(groupKeysOfCall(call)).toEqual(['trace:t', 'user:ada']);
  for (const user_id of ['', 'Anonymous', 'user', 'default', 'null', ' unknown '])
    expect(groupKeysOfCall({ ...call, inputs: {}, attributes: { user_id } })).toEqual(['trace:t']);
  expect(groupKeysOfRow({ chat: 7, thread_id: 'x', user: 'bob' }, ['chat'])).toEqual([
    'user:bob',
    'thread:x',
    'thread:7',
  ]);
});
