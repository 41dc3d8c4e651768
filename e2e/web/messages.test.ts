import { expect, test } from 'vitest';
import { conversationOf } from '../../web/src/components/chat/messages.ts';

test.each(['llm.*_messages', 'gen_ai.*.messages'])(
  'a call that was made from a span with %s is a conversation',
  (name) => {
    const inputs = { [name.replace('*', 'input')]: [{ role: 'user', content: 'Hello?' }] };
    const output = { [name.replace('*', 'output')]: [{ role: 'assistant', content: 'Hi there.' }] };
    const text = (role: string, words: string) => ({ role, parts: [{ kind: 'text', text: words }] });
    expect(conversationOf(inputs, output)).toMatchObject({
      asked: [text('user', 'Hello?')],
      answered: [text('assistant', 'Hi there.')],
    });
  },
);
