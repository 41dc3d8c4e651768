import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSpans } from '../testing/span.ts';

/**
 * What the tracing libraries themselves export (fixtures/, captured by scripts/capture-spans) and what becomes of it,
 * a line for each span: its name, then kind, model, tokens in and out (cached), and the keys of inputs and output.
 */
const expected: Record<string, string[]> = {
  'google-adk-v1.json': [
    'generate_content stub-model | – | stub-model | 11→7 (3) | – | – | turn',
    'execute_tool weather | – | usage | –→– (–) | gcp.vertex.agent.tool_call_args | gcp.vertex.agent.tool_response | –',
    'call_llm | – | stub-model | 11→7 (3) | gcp.vertex.agent.llm_request | gcp.vertex.agent.llm_response | turn',
    'generate_content stub-model | – | stub-model | 11→7 (3) | – | – | turn',
    'call_llm | – | stub-model | 11→7 (3) | gcp.vertex.agent.llm_request | gcp.vertex.agent.llm_response | turn',
    'invoke_agent weather_agent | – | usage | –→– (–) | – | – | turn',
    'invocation | – | usage | –→– (–) | – | – | –',
  ],
  'google-adk.json': [
    'generate_content stub-model | – | stub-model | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'execute_tool weather | – | usage | –→– (–) | gen_ai.tool.call.arguments | gen_ai.tool.call.result | –',
    'generate_content stub-model | – | stub-model | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'invoke_agent weather_agent | – | usage | –→– (–) | – | – | turn',
    'invoke_workflow weather_agent | – | usage | –→– (–) | – | – | turn',
  ],
  'langfuse.json': [
    'weather | tool | usage | –→– (–) | langfuse.observation.input | langfuse.observation.output | thread',
    'generate | generation | stub-model | 11→7 (3) | langfuse.observation.input | langfuse.observation.output | thread',
    'answer | span | usage | –→– (–) | langfuse.observation.input | langfuse.observation.output | turn',
  ],
  'langsmith.json': [
    'weather | tool | usage | –→– (–) | gen_ai.prompt | gen_ai.completion | thread',
    'ChatOpenAI | llm | stub-model-2026 | 11→7 (3) | gen_ai.prompt | gen_ai.completion | thread',
    'answer | chain | usage | –→– (–) | gen_ai.prompt | gen_ai.completion | turn',
  ],
  'mlflow.json': [
    'weather | TOOL | usage | –→– (–) | mlflow.spanInputs | mlflow.spanOutputs | –',
    'Completions | CHAT_MODEL | stub-model-2026 | 11→7 (3) | mlflow.spanInputs | mlflow.spanOutputs | –',
    'answer | CHAIN | usage | –→– (–) | mlflow.spanInputs | mlflow.spanOutputs | –',
  ],
  'openinference.json': [
    'ChatCompletion | LLM | stub-model-2026 | 11→7 (3) | input.value | output.value | thread',
    'ChatCompletion | LLM | stub-model-2026 | 11→7 (3) | input.value | output.value | thread',
    'ChatCompletion | LLM | stub-model-2026 | 11→7 (3) | input.value | output.value | –',
    'CreateEmbeddings | EMBEDDING | stub-embed | 4→– (–) | input.value | output.value | –',
    'ChatCompletion | LLM | stub-model | –→– (–) | input.value | – | –',
    'answer a question | CHAIN | usage | –→– (–) | input.value | output.value | –',
  ],
  'openllmetry.json': [
    'openai.chat | – | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | thread',
    'weather.tool | tool | usage | –→– (–) | traceloop.entity.input | traceloop.entity.output | thread',
    'openai.chat | – | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | thread',
    'ask.task | task | usage | –→– (–) | traceloop.entity.input | traceloop.entity.output | thread',
    'answer.workflow | workflow | usage | –→– (–) | traceloop.entity.input | traceloop.entity.output | turn',
  ],
  'pydantic-ai-v1.json': [
    'chat stub-model | – | stub-model-2026 | 11→7 (–) | events | events | –',
    'running tool | – | usage | –→– (–) | tool_arguments | tool_response | –',
    'running tools | – | usage | –→– (–) | – | – | –',
    'chat stub-model | – | stub-model-2026 | 11→7 (–) | events | events | –',
    'agent run | – | stub-model | 22→14 (–) | all_messages_events | final_result | –',
  ],
  'pydantic-ai-v2.json': [
    'chat stub-model | – | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'running tool | – | usage | –→– (–) | tool_arguments | tool_response | turn',
    'chat stub-model | – | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'agent run | – | stub-model | –→– (–) | pydantic_ai.all_messages | final_result | turn',
  ],
  'pydantic-ai.json': [
    'chat stub-model | – | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'execute_tool weather | – | usage | –→– (–) | gen_ai.tool.call.arguments | gen_ai.tool.call.result | turn',
    'chat stub-model | – | stub-model-2026 | 11→7 (3) | gen_ai.input.messages | gen_ai.output.messages | turn',
    'invoke_agent weather agent | – | stub-model | –→– (–) | pydantic_ai.all_messages | final_result | turn',
  ],
  'vercel-ai.json': [
    'ai.generateText.doGenerate | – | stub-model-2026 | 11→7 (3) | ai.prompt | ai.response | thread',
    'ai.toolCall | – | usage | –→– (–) | ai.toolCall.args | ai.toolCall.result | thread',
    'ai.generateText.doGenerate | – | stub-model-2026 | 11→7 (3) | ai.prompt | ai.response | thread',
    'ai.generateText | – | stub-model | –→– (–) | ai.prompt | ai.response | turn',
    'ai.streamText.doStream | – | stub-model-2026 | 11→7 (3) | ai.prompt | ai.response | thread',
    'ai.streamText | – | stub-model | –→– (–) | ai.prompt | ai.response | turn',
    'ai.embed.doEmbed | – | stub-embed | 4→– (–) | ai.values | ai.embeddings | thread',
    'ai.embed | – | stub-embed | –→– (–) | ai.value | ai.embedding | turn',
  ],
};

const fixtures = new URL('../fixtures/', import.meta.url);

test.each(readdirSync(fixtures))('spans of %s', (file) => {
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
