import { afterAll, expect, test } from 'vitest';
import { ruleScorerSchema } from '../../domain/evaluations/rule-scorer.ts';
import type { LocalRule } from './apply-rule.ts';
import { openRules } from './rules.ts';

const rules = openRules({ timeoutMs: 500 });
afterAll(() => rules.close());

const apply = (rule: object, output: unknown, expected?: unknown) => {
  const options = { project: 'p', signal: new AbortController().signal };
  return rules.apply(ruleScorerSchema.parse(rule) as LocalRule, { output, expected }, options);
};

test('a pattern that does not terminate fails only its own score', async () => {
  const hostile = apply({ rule: 'regex', pattern: '^(a+)+$' }, `${'a'.repeat(50)}!`);
  const harmless = apply({ rule: 'exact_match' }, 'a', 'a');
  await expect(hostile).rejects.toThrow('The rule regex takes more than 0.5 s');
  expect(await harmless).toBe(true);
  expect(await apply({ rule: 'regex', pattern: 'a' }, 'a')).toBe(true);
});

test('reports what is wrong with a rule', async () => {
  await expect(apply({ rule: 'exact_match' }, 'a')).rejects.toThrow('the row has no column "expected"');
});
