import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls } from '../harness/stored-calls.ts';
import { spaceIds } from '../harness/tiny-model.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('chats with the OpenAI client for Python', () => {
  const heddle = heddleForFile();

  test('176 whole, streamed, held to schemas, calling tools, and refused', async () => {
    const project = heddle.server.newProject();
    const report = await runPython(heddle.server, 'chat.py', { args: [project, spaceIds()] });
    expect(report.errors).toEqual({
      400: ['BadRequestError', 400, 'n'],
      401: ['AuthenticationError', 401, 'authentication_error'],
      404: ['NotFoundError', 404, 'model'],
      422: ['UnprocessableEntityError', 422, 'temperature'],
    });
    expect(report.id).toBe(`chatcmpl-${report.request_id}`);
    const calls = await storedCalls(heddle.server, project);
    expect(calls.length).toBeGreaterThan(8);
    expect(calls[0].output.choices[0].message.content).toBe(report.text);
  });
});
