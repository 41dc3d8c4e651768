import { expect, test } from 'vitest';
import { checkLogprobLimits } from './reported-logprobs.ts';

const refused = (param: string) => expect.objectContaining({ kind: 'invalidInput', extra: { param } });

test('allows alternatives up to the limit, and the whole vocabulary if the setting does [chat 137 144]', () => {
  expect(() => checkLogprobLimits({ top_logprobs: 21 })).toThrow(refused('top_logprobs'));
  expect(() => checkLogprobLimits({ prompt_logprobs: 21 })).toThrow(refused('prompt_logprobs'));
  expect(() => checkLogprobLimits({ prompt_logprobs: -1 })).toThrow(refused('prompt_logprobs'));
  expect(() => checkLogprobLimits({ top_logprobs: 20, prompt_logprobs: null })).not.toThrow();
  expect(() => checkLogprobLimits({ prompt_logprobs: -1 }, -1)).not.toThrow();
});
