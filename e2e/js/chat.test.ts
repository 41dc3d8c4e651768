import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runJs } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { spaceIds } from '../harness/tiny-model.ts';

describe('chats', () => {
  const heddle = heddleForFile();

  test('165 176 with the OpenAI client for JavaScript', async () => {
    const project = heddle.server.newProject();
    const { errors } = await runJs(heddle.server, 'chat.mjs', { args: [project, spaceIds()] });
    expect(errors).toEqual({
      400: ['BadRequestError', 400, 400, 'n'],
      401: ['AuthenticationError', 401, 401, null],
      404: ['NotFoundError', 404, 404, 'model'],
      422: ['UnprocessableEntityError', 422, 'invalid_value', 'temperature'],
    });
  });

  test('with curl', async () => {
    const { url, key } = heddle.server;
    const body = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 3, temperature: 0, stream: true };
    const headers = ['-H', `Authorization: Bearer ${key}`, '-H', 'Content-Type: application/json'];
    const { stdout } = await promisify(execFile)('curl', [
      ...['-sN', `${url}/v1/chat/completions`, ...headers, '-d', JSON.stringify(body)],
    ]);
    const frames = stdout.trimEnd().split('\n\n');
    expect(frames.every((frame) => frame.startsWith('data: '))).toBe(true);
    expect(frames.at(-1)).toBe('data: [DONE]');
  });
});
