import { describe, expect, test } from 'vitest';
import { chatEnvironment } from '../chat-clients/environment.ts';
import { runChatClient, runJs, runOpenAi } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls } from '../harness/stored-calls.ts';
import { spaceIds } from '../harness/tiny-model.ts';
import { agentsEnvironment } from '../otlp/environment.ts';

const heddle = heddleForFile();

/** Runs a client in a new project. @returns its report, and the ops of the calls it left */
async function report(run: (project: string) => Promise<Record<string, unknown>>) {
  const project = heddle.server.newProject();
  const reported = await run(project);
  const calls = await storedCalls(heddle.server, project);
  return { ...reported, ops: new Set(calls.map(({ op_name: name }: { op_name: string }) => name)) };
}

/** What the SDKs throw for bodies of the wrong shape, and for what is not served. */
const shapeErrors = {
  shape: ['BadRequestError', 400, 'temperature'],
  files: ['BadRequestError', 400, 'purpose'],
  job: ['BadRequestError', 400, 'suffix'],
  response: ['BadRequestError', 400, 'max_output_tokens'],
  embedding: ['BadRequestError', 400, expect.stringMatching(/^input/)],
  chat: ['UnprocessableEntityError', 422, expect.stringMatching(/^messages\.0\.content/)],
  ...Object.fromEntries(['batches', 'speech', 'moderation'].map((name) => [name, ['NotFoundError', 404, null]])),
  stored: [expect.stringMatching(/^API(Status)?Error$/), 405, null],
};
const ops = new Set(['heddle.completions', 'heddle.embeddings', 'heddle.responses']);

describe.skipIf(!agentsEnvironment.isReady())('in Python', () => {
  test('completions, embeddings and responses with the official SDK [chat 190 200 202 207 210 212 214 217 218 223 226]', async () => {
    const run = (project: string) => runOpenAi(heddle.server, 'with_openai.py', { args: [project, spaceIds()] });
    expect(await report(run)).toMatchObject({
      ops,
      errors: {
        deleted: ['NotFoundError', 404, 'response_id'],
        hosted: ['BadRequestError', 400, 'tools'],
        suffix: ['BadRequestError', 400, 'suffix'],
        ...shapeErrors,
      },
    });
  });

  test('an agent of openai-agents with a tool, by its default model path [chat 189 206 207 212]', async () => {
    const run = (project: string) => runOpenAi(heddle.server, 'with_agents.py', { args: [project, spaceIds()] });
    expect(await report(run)).toMatchObject({ said: expect.any(String), ops: new Set(['heddle.responses']) });
  });
});

test.skipIf(!chatEnvironment.isReady())("LlamaIndex's default, completions [chat 190 200]", async () => {
  const run = (project: string) => runChatClient(heddle.server, '../openai/with_llama_index.py', { args: [project] });
  expect(await report(run)).toMatchObject({ text: expect.any(String), ops: new Set(['heddle.completions']) });
});

test('completions, embeddings and responses with the official SDK for JavaScript [chat 190 200 202 207 210 212 214 223]', async () => {
  const run = (project: string) => runJs(heddle.server, '../openai/openai.mjs', { args: [project, spaceIds()] });
  expect(await report(run)).toMatchObject({
    ops,
    errors: {
      deleted: ['NotFoundError', 404, 'response_id'],
      hosted: ['BadRequestError', 400, 'tools'],
      ...shapeErrors,
    },
  });
});

test("Vercel's AI SDK by its default model path, with a tool over two steps [chat 205 206 207 213]", async () => {
  const run = (project: string) => runJs(heddle.server, '../openai/ai-sdk.mjs', { args: [project, spaceIds()] });
  expect(await report(run)).toMatchObject({ steps: 2, ops: new Set(['heddle.responses']) });
});
