import { expect, it } from 'vitest';
import { asStep, asStepAgain } from './mapper/step.ts';
import { openStepFinder } from './step-finder.ts';
import { otlpJson, readSpans, type TestSpan } from './testing/span.ts';

const trace = 'a'.repeat(32);
const [root, step, request] = ['00000000000000a1', '00000000000000a2', '00000000000000a3'];
const spans: Record<string, TestSpan> = {
  root: { name: 'main', spanId: root, traceId: trace },
  step: { name: 'answer', spanId: step, parentSpanId: root, traceId: trace, attributes: { 'session.id': 's' } },
  request: {
    name: 'ask',
    spanId: request,
    parentSpanId: step,
    traceId: trace,
    attributes: { 'gen_ai.operation.name': 'chat' },
  },
};
const callsOf = (...names: string[]) =>
  readSpans(otlpJson(names.map((name) => spans[name]!))).spans.map(({ call }) => call);

it('a span around a request is a chain, and the span around that too', () => {
  const steps = openStepFinder().settle('p', callsOf('request', 'step', 'root'));
  expect([...steps].sort()).toEqual([`${trace}/${root}`, `${trace}/${step}`]);
});

it('a span that comes in a later export than what is inside of it is a chain', () => {
  const finder = openStepFinder();
  expect(finder.settle('p', callsOf('request'))).toEqual(new Set());
  expect([...finder.settle('p', callsOf('step'))]).toEqual([`${trace}/${step}`]);
  expect([...finder.settle('other', callsOf('root'))]).toEqual([]);
  expect([...finder.settle('p', callsOf('root'))]).toEqual([`${trace}/${root}`]);
});

it('a span of another trace with the same id is none', () => {
  const other = { ...spans.step!, traceId: 'b'.repeat(32) };
  const calls = readSpans(otlpJson([spans.request!, other])).spans.map(({ call }) => call);
  expect(openStepFinder().settle('p', calls)).toEqual(new Set());
});

it('a request over the network is none, and nor is a span with no such calls inside', () => {
  const handler = { ...spans.step!, attributes: { 'http.request.method': 'GET' } };
  const calls = readSpans(otlpJson([spans.request!, handler])).spans.map(({ call }) => call);
  expect(openStepFinder().settle('p', calls)).toEqual(new Set());
  expect(openStepFinder().settle('p', callsOf('step', 'root'))).toEqual(new Set());
});

it('a step keeps its attributes, and is one again when it is derived again', () => {
  const [call] = callsOf('step');
  const step = asStep(call!);
  expect(JSON.parse(step.attributes)).toEqual({ ...JSON.parse(call!.attributes), kind: 'chain' });
  expect(asStepAgain(call!, step.attributes)).toEqual(step);
  expect(asStepAgain(call!, call!.attributes)).toEqual(call);
});
