import { expect, test } from 'vitest';
import { newQuestionName } from '../../web/src/api/questions.ts';
import { agreementOf } from '../../web/src/pages/queue/agreement.ts';

/** Each list has the answers to one call. */
const annotations = (...calls: unknown[][]) =>
  calls.flatMap((values, call) => values.map((value) => ({ callRef: `call ${call}`, value })));
const choice = { kind: 'choice' } as const;

test('agreement is that of pairs, and alpha takes chance into account', () => {
  const answers = annotations(['yes', 'yes'], ['yes', 'yes'], ['no', 'no'], ['no', 'yes'], ['alone']);
  const { same, alpha, sharedCalls } = agreementOf(answers, choice);
  expect([same, sharedCalls]).toEqual([0.75, 4]);
  expect(alpha).toBeCloseTo(1 - 0.25 / (30 / 56), 10);
});

test('alpha weighs the distance of numbers', () => {
  const close = agreementOf(annotations([1, 2], [5, 4], [3, 3]), choice);
  const far = agreementOf(annotations([1, 5], [5, 1], [3, 3]), choice);
  expect(close.same).toBeCloseTo(1 / 3, 10);
  expect(far.same).toBeCloseTo(1 / 3, 10);
  expect(close.alpha!).toBeGreaterThan(0.7);
  expect(far.alpha!).toBeLessThan(0);
});

test('alpha is unknown if all answers are equal, and without calls that several answered', () => {
  expect(agreementOf(annotations([true, true], [true, true]), choice)).toEqual({
    same: 1,
    alpha: null,
    sharedCalls: 2,
  });
  expect(agreementOf(annotations([true], [false]), choice)).toEqual({ same: null, alpha: null, sharedCalls: 0 });
  expect(agreementOf(annotations(['a', 'b']), { kind: 'text' }).same).toBeNull();
});

test('questions with titles that differ have names that differ', () => {
  const questions: { name: string; title: string }[] = [];
  for (const title of ['Is it good?', 'Is it good', '好吗？', '对吗？', '?', '!', 'Is it good?']) {
    questions.push({ name: newQuestionName(title, questions), title });
  }
  expect(questions.map(({ name }) => name)).toEqual([
    ...['is-it-good', 'is-it-good-2', '好吗', '对吗', 'question', 'question-2', 'is-it-good'],
  ]);
});
