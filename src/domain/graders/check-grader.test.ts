import { expect, test } from 'vitest';
import { grader as graderSchema } from '../../contract/graders/grader.ts';
import { graderFault, gradersOf } from './check-grader.ts';

const check = { type: 'string_check', name: 'same', operation: 'eq', input: '{{sample.output_text}}', reference: 'x' };
const ask = (content: unknown) => [{ role: 'user', content }];
const score = { type: 'score_model', name: 'good', model: 'm', input: ask('{{ item.q }}') };
const label = {
  type: 'label_model',
  name: 'kind',
  model: 'm',
  input: ask('?'),
  labels: ['a', 'b'],
  passing_labels: [],
};
const multi = {
  type: 'multi',
  name: 'all',
  graders: { first: check, second: score },
  calculate_output: 'first + second',
};

test.each([
  [check],
  [{ ...check, type: 'text_similarity', evaluation_metric: 'rouge_5', operation: undefined }],
  [{ ...score, range: [1, 7], sampling_params: { max_completions_tokens: 5, temperature: 0 } }],
  [{ ...score, input: ask({ type: 'input_image', image_url: '{{ item.url }}' }) }],
  [{ ...label, input: ask([{ type: 'output_text', text: '{{sample.output_text}}' }, 'a']) }],
  [multi],
  [{ ...multi, graders: check, calculate_output: '2 * same' }],
])('accepts %j', (grader) => {
  expect(graderFault(graderSchema.parse(grader))).toBeNull();
});

test.each([
  [{ ...check, reference: '{{ answer }}' }, 'reference', 'is not a variable'],
  [{ ...score, input: ask([{ type: 'input_text', text: '{{x}}' }]) }, 'input.0.content', 'is not a variable'],
  [{ ...score, range: [1, 1] }, 'range', 'found 1 to 1'],
  [{ ...label, passing_labels: ['c'] }, 'passing_labels', '"c" is not one of the labels'],
  [{ type: 'python', name: 'p', source: 'def grade(s, i): return 1' }, 'type', 'does not run the Python code'],
  [{ ...multi, graders: {} }, 'graders', 'at least one grader'],
  [{ ...multi, calculate_output: 'third' }, 'calculate_output', 'not among the graders: first, second'],
  [{ ...multi, calculate_output: 'first +' }, 'calculate_output', 'it ends too early'],
  [{ ...multi, graders: { a: { ...check, input: '{{x}}' } } }, 'graders.a.input', 'is not a variable'],
])('rejects %j at %s', (grader, path, message) => {
  const fault = graderFault(graderSchema.parse(grader));
  expect(fault?.path.join('.')).toBe(path);
  expect(fault?.message).toContain(message);
});

test('a single grader of a multi grader has its own name in the formula', () => {
  const parsed = graderSchema.parse({ ...multi, graders: check });
  expect(Object.keys(gradersOf(parsed as Extract<typeof parsed, { type: 'multi' }>))).toEqual(['same']);
});
