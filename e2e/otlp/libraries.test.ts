import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startModelStub } from '../../scripts/capture-spans/model-stub.ts';
import { runTracedProgram } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { opName, type StoredCall, storedCalls, treeOf } from '../harness/stored-calls.ts';
import { librariesEnvironment } from './environment.ts';

const { python, isReady } = librariesEnvironment;

describe('tracing libraries, told of heddle by variables alone', () => {
  const heddle = heddleForFile();
  let model: Awaited<ReturnType<typeof startModelStub>>;
  beforeAll(async () => {
    model = await startModelStub();
  });
  afterAll(() => model.server.close());

  test.skipIf(!isReady())('OpenInference', async () => {
    const calls = await callsOf(python, 'openinference_app.py');
    expect(treeOf(calls)).toEqual([
      { answer_a_question: [{ chatcompletion: [] }, { chatcompletion: [] }] },
      { chatcompletion: [] },
      { chatcompletion: [] },
      { createembeddings: [] },
    ]);
    expect(told(calls)).toEqual(await toldByFixture('openinference'));
    const [root, first] = calls;
    const failed = calls.find(({ exception }) => exception !== null);
    expect(first.output['llm.output_messages'][0].tool_calls[0].function.name).toBe('weather');
    expect(first).toMatchObject({ parent_id: root.id, trace_id: root.trace_id, thread_id: 'session-1' });
    expect(first.summary.usage['stub-model-2026']).toMatchObject({ prompt_tokens: 11, completion_tokens: 7 });
    expect(failed).toMatchObject({ output: {}, summary: { weave: { status: 'error' } } });
    expect(failed.exception).toContain('APIConnectionError');
  });

  test.skipIf(!isReady())('OpenLLMetry', async () => {
    const calls = await callsOf(python, 'openllmetry_app.py');
    expect(treeOf(calls)).toEqual([
      { 'answer.workflow': [{ 'ask.task': [{ 'openai.chat': [] }, { 'openai.chat': [] }, { 'weather.tool': [] }] }] },
    ]);
    expect(told(calls)).toEqual(await toldByFixture('openllmetry'));
    expect(new Set(calls.map(({ thread_id }) => thread_id))).toEqual(new Set(['session-1']));
  });

  test.skipIf(!isReady())('Pydantic AI', async () => {
    const calls = await callsOf(python, 'pydantic_ai_app.py');
    expect(treeOf(calls)).toEqual([
      {
        invoke_agent_weather_agent: [
          { 'chat_stub-model': [] },
          { 'chat_stub-model': [] },
          { execute_tool_weather: [] },
        ],
      },
    ]);
    expect(told(calls)).toEqual(await toldByFixture('pydantic-ai'));
  });

  test.skipIf(!isReady())('MLflow', async () => {
    const calls = await callsOf(python, 'mlflow_app.py');
    expect(treeOf(calls)).toEqual([{ answer: [{ completions: [] }, { weather: [] }] }]);
    expect(told(calls)).toEqual(await toldByFixture('mlflow'));
  });

  test("Vercel's AI SDK", async () => {
    const calls = await callsOf(process.execPath, 'vercel-ai.ts');
    expect(treeOf(calls)).toEqual([
      {
        'ai.embed': [{ 'ai.embed.doembed': [] }],
      },
      {
        'ai.generatetext': [
          { 'ai.generatetext.dogenerate': [] },
          { 'ai.generatetext.dogenerate': [] },
          { 'ai.toolcall': [] },
        ],
      },
      { 'ai.streamtext': [{ 'ai.streamtext.dostream': [] }] },
    ]);
    expect(told(calls)).toEqual(await toldByFixture('vercel-ai'));
  });

  /** Lets a program of `scripts/capture-spans` send to a project of its own, and reads what became of its spans. */
  async function callsOf(interpreter: string, program: string): Promise<StoredCall[]> {
    const { url, key } = heddle.server;
    const project = heddle.server.newProject();
    const headers = `wandb-api-key=${key},project_id=${project}`;
    await runTracedProgram(interpreter, program, {
      MODEL_URL: model.url,
      OTLP_URL: `${url}/otel`,
      OTEL_EXPORTER_OTLP_HEADERS: headers,
      TRACELOOP_HEADERS: headers,
    });
    const calls = await storedCalls(heddle.server, project);
    return calls.sort((a, b) => opName(a).localeCompare(opName(b))); // some start within the same millisecond
  }

  /** What becomes of the spans that the same program once sent. They name no project, so their service's name is it. */
  async function toldByFixture(name: string): Promise<string[]> {
    const path = new URL(`../../testing/spans/${name}.json`, import.meta.url);
    const answer = await heddle.server.post('/otel/v1/traces', JSON.parse(readFileSync(path, 'utf8')));
    expect(answer).toMatchObject({ status: 200, json: {} });
    return told(await storedCalls(heddle.server, `${heddle.server.entity}/${name}-app`));
  }
});

/** What calls say of the model's work, which is the same in every run: all but ids, times and their order. */
function told(calls: StoredCall[]): string[] {
  return calls
    .map((call) => {
      const { inputs, output, summary, exception, thread_id } = call;
      const [isFailed, isInThread] = [exception !== null, thread_id !== null];
      const { status } = summary.weave;
      const same = { name: opName(call), inputs, output, usage: summary.usage, status, isFailed, isInThread };
      return JSON.stringify(same, (key, value) => (measured.has(key) ? undefined : value), 1);
    })
    .sort();
}

/** What Vercel's SDK says of the speed of a stream. */
const measured = new Set(['msToFirstChunk', 'msToFinish', 'avgOutputTokensPerSecond']);
