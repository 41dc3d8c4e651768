import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls, treeOf } from '../harness/stored-calls.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('OpenTelemetry from Python', () => {
  const heddle = heddleForFile();

  test('spans of its SDK become calls, with the lines of `heddle env otel`', async () => {
    const { url, key } = heddle.server;
    const project = heddle.server.newProject();
    const environment = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/otel/v1/traces`,
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: `wandb-api-key=${key},project_id=${project}`,
    };
    const { trace } = await runPython(heddle.server, 'otel_spans.py', { args: [project], environment });
    const calls = await storedCalls(heddle.server, project, { trace_ids: [trace] });
    expect(treeOf(calls)).toEqual([{ answer: [{ 'chat_toy-1': [] }, { look_up: [] }] }]);
    const [answer, chat, lookUp] = calls;
    expect(answer).toMatchObject({ inputs: { 'input.value': 'what?' }, output: { 'output.value': 'that' } });
    expect(answer.attributes.otel_span.attributes.team).toBe('weavers');
    expect(chat.summary.usage['toy-1']).toMatchObject({ input_tokens: 5, output_tokens: 2, total_tokens: 7 });
    expect(lookUp).toMatchObject({ exception: "KeyError: 'nothing there'", summary: { weave: { status: 'error' } } });
  });

  test('a conversation of the weave SDK is kept as one thread', async () => {
    const project = heddle.server.newProject();
    const { conversation } = await runPython(heddle.server, 'conversation.py', { args: [project] });
    const calls = await storedCalls(heddle.server, project, { thread_ids: [conversation] });
    expect(treeOf(calls)).toEqual([{ invoke_agent_helper: [{ 'chat_toy-1': [] }, { execute_tool_add: [] }] }]);
  });
});
