import { expect, test } from 'vitest';
import { messagesOfItems } from './messages-of-items.ts';

const image = { type: 'input_image', image_url: 'data:,a' };

test('instructions are one message, unless one has an image', () => {
  const developer = (content: unknown) => ({ role: 'developer', content }) as never;
  expect(messagesOfItems('Be brief.', [developer('Be kind.')])).toEqual([
    { role: 'system', content: 'Be brief.\n\nBe kind.' },
  ]);
  expect(messagesOfItems('Be brief.', [developer([image])])).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'system', content: [image] },
  ]);
});

test('images stay in messages and outputs of calls', () => {
  const items = [
    { role: 'user', content: [{ type: 'input_text', text: 'What is it?' }, image] },
    { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: [image] },
  ] as never[];
  const [user, , tool] = messagesOfItems(null, items);
  expect(user!.content).toEqual([{ type: 'input_text', text: 'What is it?' }, image]);
  expect(tool!.content).toEqual([image]);
});
