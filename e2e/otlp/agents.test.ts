import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Billed } from '../../scripts/capture-spans/agent-stub/scenario.ts';
import { startAgentStub } from '../../scripts/capture-spans/agent-stub.ts';
import { runTracedProgram } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { type StoredCall, storedCalls } from '../harness/stored-calls.ts';
import { agentsEnvironment } from './environment.ts';

const { python, isReady } = agentsEnvironment;

/** What libraries say of the tool that fails by intention. */
const failingTool = /forecast|Traceback/;

/** The programs whose spans are captured in `testing/spans/agents`, live: what they cost is what the provider billed. */
describe.skipIf(!isReady())('agent libraries', () => {
  const heddle = heddleForFile();
  let stub: Awaited<ReturnType<typeof startAgentStub>>;
  beforeAll(async () => {
    stub = await startAgentStub();
  });
  afterAll(() => stub.server.close());

  test.each([
    ['Agno', 'agno_app.py', {}],
    ['OpenAI Agents, by OpenInference', 'openai_agents_app.py', {}],
    ['OpenAI Agents, by Logfire', 'openai_agents_logfire_app.py', {}],
    ['LangGraph', 'langgraph_app.py', {}],
    ['OpenAI, by Logfire', 'logfire_openai_app.py', {}],
    ['Anthropic, by OpenInference', 'anthropic_app.py', { TRACER: 'openinference' }],
    ['Anthropic, by OpenLLMetry', 'anthropic_app.py', { TRACER: 'openllmetry' }],
    ['Anthropic, by Logfire', 'anthropic_app.py', { TRACER: 'logfire' }],
  ])('%s', async (_name, program, environment) => {
    stub.takeBill();
    const { url, key } = heddle.server;
    const project = heddle.server.newProject();
    await runTracedProgram(
      python,
      `agents/${program}`,
      {
        ...environment,
        MODEL_URL: stub.url,
        OTLP_URL: `${url}/otel`,
        OTEL_EXPORTER_OTLP_HEADERS: `wandb-api-key=${key},project_id=${project}`,
        PYTHONWARNINGS: 'ignore', // a model that is to be retired
      },
      failingTool,
    );
    const calls = await storedCalls(heddle.server, project);
    const billed = stub.takeBill();
    expect(billed.length).toBeGreaterThanOrEqual(4);
    expect(await countedOnce(project, calls)).toEqual([
      sum(billed, 'input'),
      sum(billed, 'cacheRead'),
      sum(billed, 'cacheWrite'),
    ]);
    const kinds = new Set(calls.map(({ attributes }) => attributes.kind));
    expect([...kinds]).toEqual(expect.arrayContaining(['llm', 'tool']));
    const failed = calls.find(({ attributes }) => attributes.tool_name === 'forecast')!;
    expect(failed.exception).toMatch(/forecast|Error running tool/);
    expect(calls.map(({ thread_id }) => thread_id)).toContain('thread-1');
  });

  /** The tokens of the project's traces, each request once. */
  async function countedOnce(project: string, calls: StoredCall[]): Promise<number[]> {
    const ids = new Set(calls.map(({ id }) => id));
    const roots = calls.filter(({ parent_id }) => parent_id === null || !ids.has(parent_id)).map(({ id }) => id);
    const { json } = await heddle.server.post('/calls/usage', { project_id: project, call_ids: roots });
    const usage = Object.values(json.call_usage_counted_once as Record<string, Record<string, Record<string, number>>>);
    const sums = usage.flatMap((models) => Object.values(models));
    return ['prompt_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'].map((name) =>
      sums.reduce((total, each) => total + each[name]!, 0),
    );
  }
});

function sum(billed: Billed[], name: 'input' | 'cacheRead' | 'cacheWrite'): number {
  return billed.reduce((total, each) => total + each[name], 0);
}
