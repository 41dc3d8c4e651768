import { expect, test } from 'vitest';
import { type ChatRequest, chatRequest } from '../../contract/chat/request.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { parseJson } from '../../util/json/parse.ts';
import { beginningOf } from './beginning.ts';

/** As a client sends it: the parameters of tools are kept as text. */
const body = (messages: unknown[], more: object = {}): ChatRequest =>
  chatRequest.parse(parseJson(JSON.stringify({ messages, ...more }), { keep: keepTreeOf(chatRequest)! }));
const tool = (parameters: object) => ({ type: 'function', function: { name: 'f', parameters } });
const system = { role: 'system', content: 'Be brief.' };
const first = { role: 'user', content: 'Hi' };

test('all turns of a conversation have one beginning', () => {
  const turn = beginningOf(body([system, first]));
  expect(beginningOf(body([system, first, { role: 'assistant', content: 'Hello' }]))).toBe(turn);
  const later = [system, first, { role: 'assistant', content: 'Hello' }, { role: 'user', content: 'Bye' }];
  expect(beginningOf(body(later, { temperature: 0, stream: true }))).toBe(turn);
});

test('conversations with different tools, templates or cache salts have different beginnings', () => {
  const others = [
    body([first]),
    body([system, { role: 'user', content: 'Ho' }]),
    body([system, { role: 'user', content: [{ type: 'text', text: 'Hi' }] }]),
    body([system, first], { tools: [tool({})] }),
    body([system, first], { tools: [tool({ type: 'object' })] }),
    body([system, first], { cache_salt: 's' }),
    body([system, first], { cache_salt: 't' }),
    body([system, first], { chat_template: 'another' }),
  ].map(beginningOf);
  expect(new Set([...others, beginningOf(body([system, first]))]).size).toBe(others.length + 1);
});
