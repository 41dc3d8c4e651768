import { expect, test } from 'vitest';
import { type ChatRequest, chatRequest } from '../../contract/chat/request.ts';
import { beginningOf } from './beginning.ts';

const body = (messages: unknown[], more: object = {}): ChatRequest => chatRequest.parse({ messages, ...more });
const system = { role: 'system', content: 'Be brief.' };
const first = { role: 'user', content: 'Hi' };

test('all turns of a conversation have one beginning', () => {
  const turn = beginningOf(body([system, first]));
  expect(beginningOf(body([system, first, { role: 'assistant', content: 'Hello' }]))).toBe(turn);
  const later = [system, first, { role: 'assistant', content: 'Hello' }, { role: 'user', content: 'Bye' }];
  expect(beginningOf(body(later, { temperature: 0, stream: true }))).toBe(turn);
});

test('what a template writes before the second turn tells conversations apart', () => {
  const others = [
    body([first]),
    body([system, { role: 'user', content: 'Ho' }]),
    body([system, { role: 'user', content: [{ type: 'text', text: 'Hi' }] }]),
  ].map(beginningOf);
  expect(new Set([...others, beginningOf(body([system, first]))]).size).toBe(others.length + 1);
});
