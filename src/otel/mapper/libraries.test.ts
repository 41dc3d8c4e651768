import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSpans } from '../testing/span.ts';

/**
 * What the tracing libraries themselves export (testing/spans/, captured by scripts/capture-spans) and what becomes of it,
 * a line for each span: its name, then kind, model, tokens in and out (cached), and the keys of inputs and output.
 */
const expected: Record<string, string[]> = {
  'google-adk-v1.json': [
    'generate_content stub-model | llm | stub-model | 11→7 (3) | – | – | turn',
    'execute_tool weather | tool | usage | –→– (–) | gcp.vertex.agent.tool_call_args | gcp.vertex.agent.tool_response | –',
    'call_llm | llm | stub-model | 11→7 (3) | gcp.vertex.agent.llm_request | gcp.vertex.agent.llm_response | turn',
    'generate_content stub-model | llm | stub-model | 11→7 (3) | – | – | turn',
    'call_llm | llm | stub-model | 11→7 (3) | gcp.vertex.agent.llm_request | gcp.vertex.agent.llm_response | turn',
    'invoke_agent weather_agent | agent | usage | –→– (–) | – | – | turn',
    'invocation | – | usage | –→– (–) | – | – | –',
  ],
  'google-adk.json': [
    'generate_content stub-model | llm | stub-model | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'execute_tool weather | tool | usage | –→– (–) | gen_ai.tool.call.arguments | gen_ai.tool.call.result | –',
    'generate_content stub-model | llm | stub-model | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'invoke_agent weather_agent | agent | usage | –→– (–) | – | – | turn',
    'invoke_workflow weather_agent | workflow | usage | –→– (–) | – | – | turn',
  ],
  'langfuse.json': [
    'weather | tool | usage | –→– (–) | langfuse.observation.input | langfuse.observation.output | thread',
    'generate | llm | stub-model | 11→7 (3) | langfuse.observation.input | langfuse.observation.output | thread',
    'answer | chain | usage | –→– (–) | langfuse.observation.input | langfuse.observation.output | turn',
  ],
  'langsmith.json': [
    'weather | tool | usage | –→– (–) | gen_ai.prompt | gen_ai.completion | thread',
    'ChatOpenAI | llm | stub-model-2026 | 11→7 (3) | gen_ai.prompt | gen_ai.completion | thread',
    'answer | chain | usage | –→– (–) | gen_ai.prompt | gen_ai.completion | turn',
  ],
  'mlflow.json': [
    'weather | tool | usage | –→– (–) | mlflow.spanInputs | mlflow.spanOutputs | –',
    'Completions | llm | stub-model-2026 | 11→7 (3) | mlflow.spanInputs | mlflow.spanOutputs | –',
    'answer | chain | usage | –→– (–) | mlflow.spanInputs | mlflow.spanOutputs | –',
  ],
  'openinference.json': [
    'ChatCompletion | llm | stub-model-2026 | 11→7 (3) | llm.input_messages | llm.output_messages | thread',
    'ChatCompletion | llm | stub-model-2026 | 11→7 (3) | llm.input_messages | llm.output_messages | thread',
    'ChatCompletion | llm | stub-model-2026 | 11→7 (3) | llm.input_messages | llm.output_messages | –',
    'CreateEmbeddings | embedding | stub-embed | 4→– (–) | input.value | output.value | –',
    'ChatCompletion | llm | stub-model | –→– (–) | llm.input_messages | – | –',
    'answer a question | chain | usage | –→– (–) | input.value | output.value | –',
  ],
  'openllmetry.json': [
    'openai.chat | llm | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | thread',
    'weather.tool | tool | usage | –→– (–) | traceloop.entity.input | traceloop.entity.output | thread',
    'openai.chat | llm | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | thread',
    'ask.task | chain | usage | –→– (–) | traceloop.entity.input | traceloop.entity.output | thread',
    'answer.workflow | workflow | usage | –→– (–) | traceloop.entity.input | traceloop.entity.output | turn',
  ],
  'pydantic-ai-v1.json': [
    'chat stub-model | llm | stub-model-2026 | 11→7 (–) | events | events | –',
    'running tool | tool | usage | –→– (–) | tool_arguments | tool_response | –',
    'running tools | chain | usage | –→– (–) | – | – | –',
    'chat stub-model | llm | stub-model-2026 | 11→7 (–) | events | events | –',
    'agent run | agent | stub-model | –→– (–) | all_messages_events | final_result | –',
  ],
  'pydantic-ai-v2.json': [
    'chat stub-model | llm | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'running tool | tool | usage | –→– (–) | tool_arguments | tool_response | turn',
    'chat stub-model | llm | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'agent run | agent | stub-model | –→– (–) | pydantic_ai.all_messages | final_result | turn',
  ],
  'pydantic-ai.json': [
    'chat stub-model | llm | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'execute_tool weather | tool | usage | –→– (–) | gen_ai.tool.call.arguments | gen_ai.tool.call.result | turn',
    'chat stub-model | llm | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'invoke_agent weather agent | agent | stub-model | –→– (–) | pydantic_ai.all_messages | final_result | turn',
  ],
  'vercel-ai.json': [
    'ai.generateText.doGenerate | llm | stub-model-2026 | 11→7 (3) | ai.prompt | ai.response | thread',
    'ai.toolCall | tool | usage | –→– (–) | ai.toolCall.args | ai.toolCall.result | thread',
    'ai.generateText.doGenerate | llm | stub-model-2026 | 11→7 (3) | ai.prompt | ai.response | thread',
    'ai.generateText | chain | stub-model | –→– (–) | ai.prompt | ai.response | turn',
    'ai.streamText.doStream | llm | stub-model-2026 | 11→7 (3) | ai.prompt | ai.response | thread',
    'ai.streamText | chain | stub-model | –→– (–) | ai.prompt | ai.response | turn',
    'ai.embed.doEmbed | embedding | stub-embed | 4→– (–) | ai.values | ai.embeddings | thread',
    'ai.embed | chain | stub-embed | –→– (–) | ai.value | ai.embedding | turn',
  ],
};

const fixtures = new URL('../../../testing/spans/', import.meta.url);

test.each(readdirSync(fixtures).filter((name) => name.endsWith('.json')))('spans of %s', (file) => {
  const { spans, refused } = readSpans(readFileSync(new URL(file, fixtures), 'utf8'));
  expect(refused).toEqual([]);
  const lines = spans.map(({ span, call }) => {
    const { kind = '–' } = JSON.parse(call.attributes);
    const [model, usage] = Object.entries(JSON.parse(call.summary).usage)[0] as [string, Record<string, number | null>];
    const tokens = [usage.input_tokens ?? usage.prompt_tokens, usage.output_tokens ?? usage.completion_tokens];
    const thread = call.turnId ? 'turn' : call.threadId ? 'thread' : '–';
    const counts = `${tokens.map((count) => count ?? '–').join('→')} (${usage.cache_read_input_tokens ?? '–'})`;
    return [span.name, kind, model, counts, keys(call.inputs), keys(call.output), thread].join(' | ');
  });
  expect(lines).toEqual(expected[file]);
});

function keys(payload: string): string {
  return Object.keys(JSON.parse(payload)).join(',') || '–';
}
