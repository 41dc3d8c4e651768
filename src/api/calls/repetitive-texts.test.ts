import { expect, test } from 'vitest';
import { freshProject } from '../testing/fresh-project.ts';

const project = freshProject();
const text = 'a'.repeat(2_000_000);
const contains = (input: object, substr: object, isCaseInsensitive: boolean) => ({
  $contains: { input, substr, case_insensitive: isCaseInsensitive },
});
const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });

/** Where time grew with the product of both lengths these took minutes, beyond the budget of a query. */
test('a text that repeats itself is searched in its length', async () => {
  await project.log({ inputs: { text, short: 'aaa' }, output: { text }, attributes: { otel_span: { name: text } } });
  const conditions: [unknown, number][] = [
    ...[true, false].flatMap((isCaseInsensitive): [unknown, number][] => [
      [contains(field('inputs.text'), literal(`${'a'.repeat(2999)}b`), isCaseInsensitive), 0],
      [contains(field('output.text'), literal(`${'a'.repeat(1500)}b${'a'.repeat(1500)}`), isCaseInsensitive), 0],
      [contains(field('inputs'), literal(`b${'a'.repeat(100_000)}`), isCaseInsensitive), 0],
      [contains(field('inputs.text'), literal('a'.repeat(100_000)), isCaseInsensitive), 1],
      [contains(field('inputs.text'), field('inputs.short'), isCaseInsensitive), 1],
    ]),
    [{ $in: [field('attributes.otel_span.name'), words()] }, 0],
  ];
  for (const [$expr, count] of conditions) {
    const answer = await project.post('/calls/query_stats', { project_id: project.name, query: { $expr } });
    expect([answer.status, answer.json.count ?? answer.text]).toEqual([200, count]);
  }
});

function words() {
  return Array.from({ length: 250 }, (_, i) => literal(`${'a'.repeat(16 + (i % 8))}b${i}`));
}

test('a value that is looked for in another one has a stated length', async () => {
  await project.log({ inputs: { text, long: 'a'.repeat(1001) } });
  const $expr = contains(field('inputs.text'), field('inputs.long'), false);
  const answer = await project.post('/calls/query_stats', { project_id: project.name, query: { $expr } });
  expect([answer.status, answer.json.reason]).toEqual([400, expect.stringMatching(/at most 1000 bytes/)]);
});

test.each([
  ['ΟΔΟΣ', 'οδος'],
  ['οδος', 'ΔΟΣ'],
  ['Σ', 'ς'],
  ['the sign \u212a of kelvin', 'SIGN k'],
  ['Größe', 'GRÖSSE'.replace('SS', 'ß')],
  ['ДОМ', 'дом'],
])('without regard to case %s contains %s', async (value, part) => {
  await project.log({ inputs: { value } }, { inputs: { value: 'none of these' } });
  const $expr = contains(field('inputs.value'), literal(part), true);
  const answer = await project.post('/calls/query_stats', { project_id: project.name, query: { $expr } });
  expect(answer.json.count).toBe(1);
});
