import { describe, expect, test } from 'vitest';
import { runChatClient } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls } from '../harness/stored-calls.ts';
import { spaceIds } from '../harness/tiny-model.ts';
import { chatEnvironment } from './environment.ts';

describe.skipIf(!chatEnvironment.isReady())(
  'chats whole, streamed, held to schemas, calling tools, and refused',
  () => {
    const heddle = heddleForFile();

    test('through LiteLLM', async () => {
      const project = heddle.server.newProject();
      const report = await runChatClient(heddle.server, 'with_litellm.py', { args: [project, spaceIds()] });
      expect(report.errors).toEqual({
        400: ['BadRequestError', 400],
        401: ['AuthenticationError', 401],
        404: ['NotFoundError', 404],
        422: ['BadRequestError', 422],
        length: ['ContextWindowExceededError', 400],
      });
      await expectFirstCall(project, report.text);
    });

    test("through LangChain's OpenAI client", async () => {
      const project = heddle.server.newProject();
      const report = await runChatClient(heddle.server, 'with_langchain.py', {
        args: [project, spaceIds()],
        expected: /Pydantic serializer warnings/, // it writes out parsed answers, which the SDK's types do not foresee
      });
      expect(report.errors).toEqual({
        400: ['OpenAIInvalidRequestError', 400],
        401: ['OpenAIAuthenticationError', 401],
        404: ['OpenAIModelNotFoundError', 404],
        422: ['UnprocessableEntityError', 422],
      });
      await expectFirstCall(project, report.text);
    });

    async function expectFirstCall(project: string, text: string): Promise<void> {
      const calls = await storedCalls(heddle.server, project);
      expect(calls.length).toBeGreaterThan(8);
      expect(calls[0].output.choices[0].message.content).toBe(text);
    }
  },
);
