import { expect, test } from 'vitest';
import { makeLog } from './log.ts';

function logged(...line: [object, string]): string {
  const written: string[] = [];
  makeLog('info', { write: (text) => written.push(text) }).info(...line);
  return written.join('');
}

test('the log holds no keys', () => {
  const secret = 'very-secret-key';
  const headers = { authorization: `Bearer ${secret}`, 'wandb-api-key': secret, cookie: secret };
  for (const line of [
    headers,
    { headers },
    { request: { headers } },
    { req: { method: 'GET', url: `/x?key=${secret}`, headers } },
  ]) {
    expect(logged(line, 'a request')).not.toContain(secret);
  }
});

test('of an error it holds type, message, stack and cause, but no values that a store has echoed', () => {
  const cause = Object.assign(new Error('value too long\nDETAIL: payload-text'), {
    params: ['payload-text'],
    code: '22001',
  });
  const line = logged({ err: new TypeError('could not store the call', { cause }) }, 'a request failed');
  expect(JSON.parse(line).err).toMatchObject({
    type: 'TypeError',
    message: 'could not store the call',
    stack: expect.stringContaining('log.test.ts'),
    cause: { message: 'value too long', code: '22001' },
  });
  expect(line).not.toContain('payload-text');
});
