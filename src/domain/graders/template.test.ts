import { expect, test } from 'vitest';
import { GradeError } from './grade-error.ts';
import { fillTemplate, templateFault } from './template.ts';

const namespaces = {
  item: { answer: 'Paris', count: 2, tags: ['a', { 'b c': true }], nothing: null, city: { name: 'Rome' } },
  sample: { output_text: '{{ item.answer }}', output_json: { x: [1] } },
};

test.each([
  ['{{ item.answer }} and {{item.count}}', 'Paris and 2'],
  ['{{ item.city.name }}, {{item.tags[0]}}, {{ item.tags[1]["b c"] }}', 'Rome, a, true'],
  ['{{ item.tags }} {{ item.nothing }}', '["a",{"b c":true}] null'],
  ['{{ item }}', JSON.stringify(namespaces.item)],
  ['{{ sample.output_json.x[0] }}', '1'],
  ['{ item.answer } {{}', '{ item.answer } {{}'],
])('%j becomes %j', (template, text) => {
  expect(fillTemplate(template, namespaces)).toBe(text);
});

test('values are not read as templates', () => {
  expect(fillTemplate('{{ sample.output_text }}', namespaces)).toBe('{{ item.answer }}');
});

test.each([
  ['{{ item.missing }}', 'invalid_variable_error', 'there is no "missing". There are: answer, city'],
  ['{{ item.constructor }}', 'invalid_variable_error', 'there is no "constructor"'],
  ['{{ item.tags.length }}', 'invalid_variable_error', 'there is no "length"'],
  ['{{ item.answer.x }}', 'invalid_variable_error', 'there is no "x"'],
])('%j has no value', (template, problem, message) => {
  expect(() => fillTemplate(template, namespaces)).toThrow(GradeError);
  expect(() => fillTemplate(template, namespaces)).toThrow(expect.objectContaining({ problem }));
  expect(() => fillTemplate(template, namespaces)).toThrow(message);
});

test('an output that is not JSON has no output_json', () => {
  const fill = () => fillTemplate('{{ sample.output_json.x }}', { item: {}, sample: { output_text: 'x' } });
  expect(fill).toThrow(expect.objectContaining({ problem: 'sample_parse_error' }));
});

test.each(['{{ output }}', '{{ items.x }}', '{{ item..x }}', '{{ item.x y }}', '{{ }}', '{{ item[x] }}'])(
  '%j is not a template',
  (template) => {
    expect(templateFault(template)).toContain('is not a variable');
  },
);

test.each(['{{ item.x }}', '{{sample.choices[0].message.content}}', 'plain { text }'])('%j is a template', (text) => {
  expect(templateFault(text)).toBeNull();
});

test('values are limited in length, however often a template repeats them', () => {
  const item = { text: 'x'.repeat(1024 * 1024) };
  const fill = (times: number) => fillTemplate('{{ item.text }}'.repeat(times), { item, sample: {} });
  expect(fill(16)).toHaveLength(16 * 1024 * 1024);
  expect(() => fill(17)).toThrow(expect.objectContaining({ problem: 'invalid_variable_error' }));
  expect(() => fill(1000)).toThrow(GradeError); // longer than a string can be
});
