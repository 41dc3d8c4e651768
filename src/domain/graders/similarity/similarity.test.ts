import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { similarityMetrics } from '../../../contract/graders/grader.ts';
import { type LocalMetric, textSimilarity } from './similarity.ts';

/** Written by scripts/reference/text-similarity.py. */
const references = new URL('../../../../testing/graders/similarities.json', import.meta.url);
const cases: { input: string; reference: string; similarities: Record<LocalMetric, number> }[] = JSON.parse(
  readFileSync(references, 'utf8'),
);

const metrics = similarityMetrics.filter((metric) => metric !== 'cosine');

test.each(metrics)('%s is that of the Python library', (metric) => {
  const found = cases.map(({ input, reference }) => [input, reference, textSimilarity(metric, input, reference)]);
  const expected = cases.map(({ input, reference, similarities }) => [
    input,
    reference,
    expect.closeTo(similarities[metric], 9),
  ]);
  expect(found).toEqual(expected);
});

test('ROUGE and METEOR read words of every script', () => {
  expect(textSimilarity('rouge_1', 'Привет, мир', 'привет всем')).toBe(0.5);
  expect(textSimilarity('meteor', '東京 です', '東京 です')).toBeGreaterThan(0.9);
});
