import { expect, it } from 'vitest';
import { parseRawSpan } from '../parse-raw-span.ts';
import { otlpJson, readSpans, type TestSpan } from '../testing/span.ts';
import { explainSpan } from './explain.ts';

function explained(span: TestSpan) {
  const [read] = readSpans(otlpJson([span])).spans;
  return explainSpan(parseRawSpan(read!.raw)!);
}

it('names the key and the convention of each field, what was passed over, and what nobody reads', () => {
  const { fields, passedOver, unread } = explained({
    name: 'chat m',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'hi',
      'input.value': '{"messages":[]}',
      'gen_ai.usage.input_tokens': 5,
      'gen_ai.usage.raw': '{"prompt_tokens_details":{"cached_tokens":3}}',
      'session.id': 's',
      'vendor.unknown.key': 1,
      'wandb.wb_run_id': 'r',
    },
  });
  const rules = Object.fromEntries(fields.map(({ field, key, rule }) => [field, `${key} (${rule})`]));
  expect(rules).toMatchObject({
    op_name: 'name (the name of the span, templates filled in)',
    'attributes.kind': 'openinference.span.kind (weave)',
    inputs: 'llm.input_messages (openInference)',
    'summary.usage.input_tokens': 'gen_ai.usage.input_tokens (weave)',
    'summary.usage.cache_read_input_tokens':
      'gen_ai.usage.raw.prompt_tokens_details.cached_tokens (the spelling of the key)',
    thread_id: 'session.id (openInference)',
    wb_run_id: 'wandb.wb_run_id (read by its name)',
  });
  expect(passedOver).toEqual(['input.value']);
  expect(unread).toEqual(['vendor.unknown.key']);
});

it('reads messages of events, and names the keys of other events', () => {
  const { unread, fields } = explained({
    attributes: { 'gen_ai.operation.name': 'chat' },
    events: [
      { name: 'gen_ai.user.message', attributes: { content: 'hi' } },
      { name: 'vendor.event', attributes: { a: 1 } },
    ],
  });
  expect(fields.map(({ field }) => field)).toContain('inputs');
  expect(unread).toEqual(['vendor.event: a']);
});

it('tells of a span that no convention describes that nobody reads it', () => {
  const { fields, unread } = explained({ name: 'GET /', attributes: { 'http.method': 'GET' } });
  expect(fields.map(({ field }) => field)).toEqual(['op_name']);
  expect(unread).toEqual(['http.method']);
});
