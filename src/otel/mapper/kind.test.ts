import { expect, it, test } from 'vitest';
import { mapped } from '../testing/span.ts';

test.each([
  [{ 'openinference.span.kind': 'LLM' }, 'llm'],
  [{ 'openinference.span.kind': 'RERANKER' }, 'reranker'],
  [{ 'openinference.span.kind': 'GUARDRAIL' }, 'guardrail'],
  [{ 'openinference.span.kind': 'EVALUATOR' }, 'evaluator'],
  [{ 'openinference.span.kind': 'UNKNOWN', 'gen_ai.operation.name': 'embeddings' }, 'embedding'],
  [{ 'traceloop.span.kind': 'task' }, 'chain'],
  [{ 'traceloop.span.kind': 'workflow' }, 'workflow'],
  [{ 'gen_ai.operation.name': 'invoke_agent' }, 'agent'],
  [{ 'gen_ai.operation.name': 'text_completion' }, 'llm'],
  [{ 'langfuse.observation.type': 'generation' }, 'llm'],
  [{ 'langfuse.observation.type': 'retriever' }, 'retriever'],
  [{ 'mlflow.spanType': '"CHAT_MODEL"' }, 'llm'],
  [{ 'ai.operationId': 'ai.embed.doEmbed' }, 'embedding'],
  [{ 'ai.operationId': 'ai.generateText' }, 'chain'],
  [{ 'gen_ai.input.messages': '[]', 'gen_ai.output.messages': '[{"role":"assistant"}]' }, 'llm'],
  [{ 'gen_ai.tool.name': 'weather' }, 'tool'],
])('the kind of %j is %s', (attributes, kind) => {
  expect(mapped({ attributes }).attributes.kind).toBe(kind);
});

test.each([
  ['Function: {name}', { name: 'weather' }, 'function_weather'],
  ['Agent run: {name!r}', { name: 'Weather Agent' }, 'agent_run_weather_agent'],
  ['Chat Completion with {request_data[model]!r}', { request_data: '{"model":"m"}' }, 'chat_completion_with_m'],
  ['answer {question=}', { question: 'How is it?' }, 'answer'],
  ['{}', {}, 'span'],
  ['Crew_6f1cb0f2-3155-484e-8e83-e2b696ff8913.kickoff', {}, 'crew.kickoff'],
  ['run 6f1cb0f2-3155-484e-8e83-e2b696ff8913', {}, 'run'],
  ['6f1cb0f2-3155-484e-8e83-e2b696ff8913', {}, '6f1cb0f2-3155-484e-8e83-e2b696ff8913'],
])('the op of a span named %j', (name, attributes, opId) => {
  expect(mapped({ name, attributes: { 'logfire.msg_template': name, ...attributes } }).opId).toBe(opId);
});

test.each([
  ['execute_tool weather', { 'gen_ai.operation.name': 'execute_tool' }],
  ['Function: {name}', { 'logfire.msg_template': 'Function: {name}', name: 'weather', input: '{}' }],
  ['weather.tool', { 'traceloop.span.kind': 'tool', 'traceloop.entity.name': 'weather' }],
  ['SimpleTool', { 'openinference.span.kind': 'TOOL', 'tool.name': 'weather' }],
  ['weather.__call__', { 'openinference.span.kind': 'TOOL' }],
])('the tool of a span named %j', (name, attributes) => {
  expect(mapped({ name, attributes }).attributes).toMatchObject({ kind: 'tool', tool_name: 'weather' });
});

test.each([
  { 'session.id': 't', 'user.id': 'u' },
  { 'langfuse.session.id': 't', 'langfuse.user.id': 'u' },
  { 'conversation.id': 't', 'enduser.id': 'u' },
  { group_id: 't', user_id: 'u' },
  { thread_id: 't', 'llm.user': 'u' },
  { metadata: '{"thread_id":"t","user_id":"u"}' },
  { 'traceloop.association.properties.session_id': 't', 'traceloop.association.properties.user_id': 'u' },
])('thread and user of %j', (attributes) => {
  const span = { attributes: { 'openinference.span.kind': 'CHAIN', ...attributes } };
  expect(mapped(span)).toMatchObject({ threadId: 't', attributes: { user_id: 'u' } });
});

const usage = (attributes: object) =>
  Object.values(mapped({ attributes: { 'gen_ai.operation.name': 'chat', ...attributes } }).summary.usage)[0];

test.each([
  ['llm.token_count.completion_details.reasoning', 'reasoning_tokens'],
  ['gen_ai.usage.reasoning_tokens', 'reasoning_tokens'],
  ['gen_ai.usage.output_tokens_details.reasoning_tokens', 'reasoning_tokens'],
  ['gen_ai.usage.cache_write.input_tokens', 'cache_creation_input_tokens'],
  ['gen_ai.usage.cache_creation.input_tokens', 'cache_creation_input_tokens'],
  ['gen_ai.usage.details.cache_write_tokens', 'cache_creation_input_tokens'],
  ['gen_ai.usage.prompt_tokens_details.cached_tokens', 'cache_read_input_tokens'],
  ['llm.token_count.prompt_details.cache_read', 'cache_read_input_tokens'],
])('reads %s as %s', (key, name) => {
  expect(usage({ 'gen_ai.usage.input_tokens': 100, [key]: 7 })).toMatchObject({ input_tokens: 100, [name]: 7 });
});

it('reads the details of a raw usage', () => {
  const raw = { prompt_tokens_details: { cached_tokens: 7 }, completion_tokens_details: { reasoning_tokens: 3 } };
  expect(usage({ 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.raw': JSON.stringify(raw) })).toMatchObject({
    cache_read_input_tokens: 7,
    reasoning_tokens: 3,
  });
});

it('reads the details of usage that Python has printed', () => {
  const printed = "{'prompt_tokens': 100, 'prompt_tokens_details': {'cached_tokens': 7}, 'x': {'reasoning_tokens': 3}}";
  expect(usage({ 'gen_ai.usage.input_tokens': 100, 'metadata.usage_object': printed })).toMatchObject({
    cache_read_input_tokens: 7,
    reasoning_tokens: 3,
  });
});

it('reads the details of usage in a whole answer of OpenAI, and not the tokens beside the input in one of Anthropic', () => {
  const answer = (more: object) => JSON.stringify({ id: 'x', usage: { prompt_tokens: 100, ...more } });
  const details = { prompt_tokens_details: { cached_tokens: 7 }, completion_tokens_details: { reasoning_tokens: 3 } };
  const counts = { 'gen_ai.usage.input_tokens': 100 };
  for (const key of ['output.value', 'mlflow.spanOutputs']) {
    expect(usage({ ...counts, [key]: answer(details) })).toMatchObject({
      cache_read_input_tokens: 7,
      reasoning_tokens: 3,
    });
    expect(usage({ ...counts, [key]: answer({ cache_read_input_tokens: 7 }) })).toMatchObject({
      cache_read_input_tokens: null,
    });
  }
});

it('adds the tokens of the cache that Bedrock counts beside the input', () => {
  const counts = {
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.usage.cache_read.input_tokens': 7,
  };
  const total = { 'gen_ai.usage.total_tokens': 105 };
  for (const provider of [{ 'gen_ai.provider.name': 'aws.bedrock' }, { 'gen_ai.system': 'AWS' }]) {
    expect(usage({ ...counts, ...total, ...provider })).toMatchObject({ input_tokens: 107, total_tokens: 112 });
  }
  expect(usage({ ...counts, ...total, 'gen_ai.system': 'openai' })).toMatchObject({
    input_tokens: 100,
    total_tokens: 105,
  });
});

it('reads the usage of Langfuse in the words of its provider', () => {
  const details = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 7 } };
  const attributes = {
    'langfuse.observation.type': 'generation',
    'langfuse.observation.usage_details': JSON.stringify(details),
  };
  expect(Object.values(mapped({ attributes }).summary.usage)[0]).toMatchObject({
    input_tokens: 100,
    output_tokens: 5,
    cache_read_input_tokens: 7,
  });
});

it('counts a count of two names of one convention once', () => {
  const counts = {
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.prompt_tokens': 10,
    'gen_ai.usage.output_tokens': 2,
    'gen_ai.usage.completion_tokens': 2,
  };
  expect(usage(counts)).toMatchObject({
    input_tokens: 10,
    prompt_tokens: null,
    output_tokens: 2,
    completion_tokens: null,
    total_tokens: 12,
  });
});

it('adds tokens of the cache that are clearly counted beside the input', () => {
  const cache = { 'gen_ai.usage.cache_read.input_tokens': 90, 'gen_ai.usage.cache_creation.input_tokens': 20 };
  expect(usage({ 'gen_ai.usage.input_tokens': 10, ...cache })).toMatchObject({ input_tokens: 120 });
  expect(usage({ 'gen_ai.usage.input_tokens': 150, ...cache })).toMatchObject({ input_tokens: 150 });
});

it('keeps what the sender says it cost', () => {
  const call = mapped({ attributes: { 'openinference.span.kind': 'LLM', 'llm.cost.total': { doubleValue: 0.5 } } });
  expect(call.attributes.cost_details).toEqual({ total: 0.5 });
});
