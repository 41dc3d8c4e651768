import { expect, test } from 'vitest';
import { promptMembers } from './conversation-json.ts';

const messages = [
  { role: 'system', content: 'Be {tone}.' },
  { role: 'user', content: '{question}' },
];

test.each([
  ['a prompt', { _class_name: 'MessagesPrompt', _bases: ['Prompt', 'Object', 'BaseModel'], messages }],
  ['a prompt of a class of its own', { _class_name: 'Mine', _bases: ['MessagesPrompt', 'Prompt', 'Object'], messages }],
  [
    'a completion model',
    { _class_name: 'LLMStructuredCompletionModel', _bases: ['Model'], default_params: { messages_template: messages } },
  ],
])('shows the messages of %s', (_what, value) => {
  const { conversation } = read(value);
  expect(conversation.input.map(({ role, parts }: any) => [role, parts[0].text])).toEqual([
    ['system', 'Be {tone}.'],
    ['user', '{question}'],
  ]);
});

test.each([
  ['a model with messages of its own', { _class_name: 'Mine', _bases: ['Model'], messages }],
  ['a model without a template', { _class_name: 'LLMStructuredCompletionModel', default_params: { max_tokens: 3 } }],
  ['a list', messages],
])('shows no messages of %s', (_what, value) => {
  expect(read(value).conversation).toBeNull();
});

function read(value: unknown): { conversation: any } {
  return JSON.parse(`{${promptMembers(JSON.stringify(value))}}`);
}
