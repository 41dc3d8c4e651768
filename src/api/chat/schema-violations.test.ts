import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { chatting, withoutSpaces } from './testing/chat.ts';

/**
 * The net under grammars, with schemas in which the validator is known to see a fault that is none: it does not read
 * properties with the name `__proto__`, so a member with it is an additional property.
 */
const schema =
  '{"type":"object","properties":{"__proto__":{"enum":[7]}},"required":["__proto__"],"additionalProperties":false}';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
const { send, choice, frames } = chatting(() => server);

async function violations(): Promise<number> {
  const { text } = await server.get('/metrics');
  return Number(/^heddle_schema_violations_total\{[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

const asked = (more: object) => ({ max_tokens: 200, ...withoutSpaces, ...more });
const ofContent = asked({ structured_outputs: { json: schema } });
const tools = [{ type: 'function', function: { name: 'f', parameters: JSON.parse(schema) } }];
const ofCall = asked({ tools, tool_choice: 'required', parallel_tool_calls: false });

test.each([
  ['an answer', ofContent],
  ['the arguments of a required call', ofCall],
])('%s that violates its schema is a 500 that names the keyword, and is counted', async (_, request) => {
  const before = await violations();
  const { status, json } = await send(request);
  expect(status).toBe(500);
  expect(json.error.message).toMatch(/at #\/additionalProperties\. This is a defect of the server/);
  expect(await violations()).toBe(before + 1);
  const streamed = await frames(request);
  expect(streamed.at(-1)).toBe('[DONE]');
  expect(streamed.at(-2)).toMatchObject({ error: { message: expect.stringContaining('#/additionalProperties') } });
  const finished = streamed.flatMap((frame) => (frame === '[DONE]' ? [] : (frame.choices ?? [])));
  expect(finished.map(({ finish_reason }) => finish_reason).filter(Boolean)).toEqual([]);
  expect(await violations()).toBe(before + 2);
});

test('an answer that a stop string cuts has status 200, is not valid, and is not counted', async () => {
  const before = await violations();
  const cut = { ...ofContent, stop: '7' };
  const { message, finish_reason, stop_reason } = await choice(cut);
  expect({ finish_reason, stop_reason }).toEqual({ finish_reason: 'stop', stop_reason: '7' });
  expect(() => JSON.parse(message.content!)).toThrow();
  const streamed = (await frames(cut)).flatMap((frame) => (frame === '[DONE]' ? [] : frame.choices));
  expect(streamed.map(({ delta }) => delta.content ?? '').join('')).toBe(message.content);
  expect(streamed.at(-1)).toMatchObject({ finish_reason: 'stop', stop_reason: '7' });
  expect(await violations()).toBe(before);
});
