import { describe, expect, it, test } from 'vitest';
import { mapped, otlpJson, readSpans } from '../testing/span.ts';

/** The part of OTLP in docs/conformance/calls.md that needs only the span. */
describe('a span', () => {
  it('has messages with numbered keys as a list [calls 136]', () => {
    const attributes = {
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'hi',
      'gen_ai.prompt.1.role': 'assistant',
    };
    expect(mapped({ attributes }).inputs).toEqual({
      'gen_ai.prompt': [{ role: 'user', content: 'hi' }, { role: 'assistant' }],
    });
  });

  test.each([
    ['has input.value as its inputs [calls 137]', { 'input.value': '{"a":1}' }, { 'input.value': { a: 1 } }],
    ['has input with JSON text as its inputs [calls 138]', { input: '{"a":1}' }, { a: 1 }],
    ['has input with plain text among its inputs [calls 138]', { input: 'text' }, { input: 'text' }],
    ['has inputs with JSON text as its inputs', { inputs: '{"a":1}' }, { a: 1 }],
    ['has inputs with a list among its inputs', { inputs: '[1]' }, { inputs: [1] }],
  ])('%s', (_name, attributes, inputs) => {
    expect(mapped({ attributes }).inputs).toEqual(inputs);
  });

  test.each([
    ['has output with JSON text as its output [calls 138]', { output: '[1,2]' }, [1, 2]],
    ['has output with plain text as its output', { output: 'text' }, 'text'],
    ['has outputs with a number as its output', { outputs: 3 }, 3],
    ['has output.value as its output', { 'output.value': 'yo' }, { 'output.value': 'yo' }],
    ['has an empty output.value as its output', { 'output.value': '' }, { value: '' }],
    ['has an empty output without attributes', {}, {}],
  ])('%s', (_name, attributes, output) => {
    expect(mapped({ attributes }).output).toEqual(output);
  });

  it('has the total of prompt and completion tokens under its model [calls 139]', () => {
    const attributes = {
      'gen_ai.usage.prompt_tokens': 3,
      'gen_ai.usage.completion_tokens': 4,
      'gen_ai.request.model': 'gpt-4',
    };
    expect(mapped({ attributes }).summary.usage).toEqual({
      'gpt-4': { ...noUsage, prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    });
  });

  it('has its usage under the response model, or under `usage` without a model [calls 140]', () => {
    const attributes = { 'gen_ai.request.model': 'gpt-4', 'gen_ai.response.model': 'gpt-4-0613' };
    expect(Object.keys(mapped({ attributes }).summary.usage)).toEqual(['gpt-4-0613']);
    expect(mapped({}).summary.usage).toEqual({ usage: noUsage });
  });

  it('keeps zero tokens as 0 [calls 141]', () => {
    expect(mapped({ attributes: { 'gen_ai.usage.input_tokens': 0 } }).summary.usage.usage.input_tokens).toBe(0);
  });

  test.each([
    [{ 'gen_ai.conversation.id': 'c' }, 'c', true],
    [{ 'gcp.vertex.agent.session_id': 'c' }, 'c', true],
    [{ 'gen_ai.conversation.id': 'c', 'wandb.is_turn': false }, 'c', false],
    [{ 'wandb.thread_id': 'c' }, 'c', false],
    [{ 'wandb.thread_id': 'c', 'wandb.is_turn': true }, 'c', true],
    [{ 'wandb.thread_id': 'c', 'wandb.is_turn': 'yes' }, 'c', true],
    [{ 'wandb.is_turn': true }, '', false],
  ])('takes its thread and turn from %j [calls 142]', (attributes, threadId, isTurn) => {
    const spanId = '0123456789abcdef';
    expect(mapped({ spanId, attributes })).toMatchObject({ threadId, turnId: isTurn ? spanId : '' });
  });

  it('sets display name, attributes, run and step [calls 143]', () => {
    const attributes = {
      'gen_ai.request.model': 'm',
      'wandb.display_name': 'shown',
      'wandb.attributes': '{"team":"a"}',
      'wandb.wb_run_id': 'run1',
      'wandb.wb_run_step': 7,
      'wandb.wb_run_step_end': 0,
    };
    const call = mapped({ attributes });
    expect(call).toMatchObject({ displayName: 'shown', run: 'run1', runStep: '7', runStepEnd: '0' });
    expect(call.attributes).toEqual({ model: 'm', model_parameters: { model: 'm' }, team: 'a' });
    expect(mapped({ attributes: { 'wandb.wb_run_id': 'e/p/run1' } }).run).toBe('');
  });

  it('keeps the tree of unknown attributes [calls 144]', () => {
    const attributes = { 'http.method': 'GET', 'http.headers': '{"a":[1]}', n: 1 };
    const call = mapped({ attributes });
    expect(call.attributes).toEqual({ http: { method: 'GET', headers: { a: [1] } }, n: 1 });
    expect(call.raw.attributes).toEqual(call.attributes);
  });

  test.each([
    [{ status: { code: 2, message: 'broke' } }, 'broke'],
    [{ status: { code: 2 } }, 'error'],
    [{ status: { code: 2 }, events: [{ name: 'exception', attributes: { 'exception.message': 'thrown' } }] }, 'thrown'],
    [{ status: { code: 1, message: 'fine' } }, ''],
    [
      { attributes: { 'langfuse.observation.level': 'ERROR', 'langfuse.observation.status_message': 'quota' } },
      'quota',
    ],
    [{ attributes: { 'langfuse.observation.level': 'ERROR' } }, 'ERROR'],
    [{ attributes: { 'langfuse.observation.level': 'WARNING', 'langfuse.observation.status_message': 'slow' } }, ''],
    [{ status: { code: 2 }, attributes: { 'langfuse.observation.status_message': 'quota' } }, 'quota'],
    [{ status: { code: 1 }, attributes: { 'langfuse.observation.level': 'ERROR' } }, ''],
    [{ attributes: { 'otel.status_code': 'ERROR', 'otel.status_description': 'broke' } }, 'broke'],
    [{ attributes: { 'otel.status_code': 'OK', 'otel.status_description': 'fine' } }, ''],
    [{ attributes: { 'error.type': 'TimeoutError' } }, 'TimeoutError'],
    [{ attributes: { 'error.type': 'TimeoutError', 'error.message': 'too slow' } }, 'too slow'],
    [{ attributes: { error: true }, events: [{ name: 'exception', attributes: { 'exception.message': 'e' } }] }, 'e'],
    [{ attributes: { error: true } }, 'error'],
    [{ attributes: { error: false } }, ''],
    [{ events: [{ name: 'exception', attributes: { 'exception.message': 'caught and handled' } }] }, ''],
    [{}, ''],
  ])('takes its exception from %j [calls 145]', (span, exception) => {
    expect(mapped(span).exception).toBe(exception);
  });

  test.each([
    ['gen_ai.request.user', 'u'],
    ['enduser.id', 'u'],
    ['enduser.pseudo.id', 'u'],
    ['user.id', 'u'],
    ['gen_ai.user.id', 'u'],
    ['llm.user', 'u'],
    ['user_id', 'u'],
    ['langfuse.user.id', 'u'],
    ['mlflow.trace.user', '"u"'],
    ['langsmith.metadata.user_id', 'u'],
    ['ai.telemetry.metadata.userId', 'u'],
    ['traceloop.association.properties.user_id', 'u'],
    ['llm.invocation_parameters', '{"user":"u"}'],
  ])('finds the user in %s', (key, value) => {
    const attributes = { 'gen_ai.request.model': 'm', [key]: value };
    expect(mapped({ attributes }).attributes.user_id).toBe('u');
  });

  it('keeps a key that is both a value and a prefix [calls 146]', () => {
    const { spans, refused } = readSpans(otlpJson([{ attributes: { 'agno.agent': 'Weather', 'agno.agent.id': 'w' } }]));
    expect(refused).toEqual([]);
    expect(JSON.parse(spans[0]!.raw).attributes).toEqual({ agno: { agent: { id: 'w' } }, 'agno.agent': 'Weather' });
  });

  test.each([
    [
      { error: 'broke', 'error.type': 'T' },
      { error: 'broke', 'error.type': 'T' },
    ],
    [
      { 'error.type': 'T', error: 'broke' },
      { error: 'broke', 'error.type': 'T' },
    ],
    [
      { 'user.id': 'u', user: 'ann' },
      { user: 'ann', 'user.id': 'u' },
    ],
    [
      { llm: 'x', 'llm.a.0.b': 1, 'llm.a.1.b': 2 },
      { llm: 'x', 'llm.a': [{ b: 1 }, { b: 2 }] },
    ],
    [
      { 'a.b.c': 3, 'a.b': 2, a: 1 },
      { a: 1, 'a.b': 2, 'a.b.c': 3 },
    ],
    [
      { a: [1, 2], 'a.b': 3 },
      { a: [1, 2], 'a.b': 3 },
    ],
    [{ a: '{"c":1}', 'a.b': 2 }, { a: { c: 1, b: 2 } }],
  ])('builds the tree of %j [calls 146]', (attributes, tree) => {
    expect(mapped({ attributes }).raw.attributes).toEqual(tree);
  });

  it('shows conventions the keys below a plain value [calls 146]', () => {
    const attributes = {
      ...{ input: 'plain', 'input.value': 'asked', output: 'plain', 'output.value': 'said' },
      ...{ user: 'ann', 'user.id': 'u', llm: 'x', 'llm.token_count.prompt': 5, 'llm.model_name': 'm' },
    };
    expect(mapped({ attributes })).toMatchObject({
      inputs: { 'input.value': 'asked' },
      output: { 'output.value': 'said' },
      attributes: { user_id: 'u' },
      summary: { usage: { m: { prompt_tokens: 5 } } },
    });
  });

  it('is rejected alone if it cannot be stored, with its name, ids and library [calls 146]', () => {
    const json = JSON.parse(
      otlpJson([{ name: 'bad', spanId: '', attributes: { secret: 'payload' } }, { name: 'good' }]),
    );
    json.resourceSpans[0].scopeSpans[0].scope = { name: 'my.library', version: '1.2' };
    const { spans: read, refused } = readSpans(JSON.stringify(json));
    expect(read.map(({ span }) => span.name)).toEqual(['good']);
    expect(refused).toEqual([
      expect.stringMatching(
        /^Rejected span \(name='bad' trace_id='\w{32}' span_id=''\): library 'my.library 1.2': Invalid/,
      ),
    ]);
    expect(refused[0]).not.toContain('payload');
  });

  it('has an op named after it [calls 147]', () => {
    expect(mapped({ name: 'chat gpt-4' }).opId).toBe('chat_gpt-4');
  });

  it('has its credentials redacted in attributes and raw span [calls 150]', () => {
    const attributes = { api_key: 'secret', 'openai.api_key': 's', 'my.json': '{"apiKey":"s","n":{"auth_token":"t"}}' };
    const call = mapped({ attributes });
    const expected = {
      api_key: 'REDACTED',
      openai: { api_key: 'REDACTED' },
      my: { json: { apiKey: 'REDACTED', n: { auth_token: 'REDACTED' } } },
    };
    expect(call.attributes).toEqual(expected);
    expect(call.raw.attributes).toEqual(expected);
  });
});

describe('a call from a span', () => {
  it('runs as long as the span, to the microsecond', () => {
    const call = mapped({ startTimeUnixNano: '1700000000123456500', endTimeUnixNano: '1700000000123456499' });
    expect(call).toMatchObject({ startedAt: 1700000000123457, endedAt: 1700000000123456 });
    expect(mapped({ endTimeUnixNano: '0' }).endedAt).toBe(null);
  });

  test.each([
    ['2024-01-01T00:00:00.5Z', 1704067200500000],
    [1704067200500000000n, 1704067200500000],
    [{ doubleValue: 1704067200.5 }, 1704067200500000],
    ['nonsense', 1700000000000000],
  ])('takes Langfuse’s start %s', (startTime, startedAt) => {
    expect(mapped({ attributes: { 'langfuse.startTime': startTime } }).startedAt).toBe(startedAt);
  });

  it('inside of a call that an SDK traces belongs to it', () => {
    const [id, trace] = ['01946d2b-8d7f-7000-8000-000000000001', '01946d2b-8d7f-7000-8000-000000000002'];
    const attributes = { 'weave.parent_call.id': id, 'weave.parent_call.trace_id': trace };
    expect(mapped({ attributes })).toMatchObject({ traceId: trace, parentId: id });
    const parentSpanId = '0123456789abcdef';
    expect(mapped({ attributes, parentSpanId })).toMatchObject({ traceId: trace, parentId: parentSpanId });
  });

  it('counts tokens once that two conventions tell by two names', () => {
    const attributes = {
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'ai.usage.promptTokens': 10,
      'llm.token_count.completion': 5,
    };
    expect(mapped({ attributes }).summary.usage.usage).toEqual({
      ...noUsage,
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
    });
  });

  it('keeps numbers and JSON text digit for digit', () => {
    const attributes = { 'input.value': '{"n":1.0,"big":123456789012345678901,"NaN":NaN}', big: 9007199254740993n };
    const [read] = readSpans(otlpJson([{ attributes }])).spans;
    expect(read!.call.inputs).toBe('{"input.value":{"n":1.0,"big":123456789012345678901,"NaN":"NaN"}}');
    expect(read!.raw).toContain('"big":9007199254740993');
  });
});

const noUsage = {
  input_tokens: null,
  output_tokens: null,
  completion_tokens: null,
  prompt_tokens: null,
  total_tokens: null,
  requests: null,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
};
