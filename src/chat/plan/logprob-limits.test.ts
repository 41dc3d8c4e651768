import { expect, test } from 'vitest';
import { checkLogprobLimits } from './logprob-limits.ts';

const refused = (param: string) => expect.objectContaining({ name: 'BadRequest', param });

test('137 144 alternatives up to the limit, the whole vocabulary where it is allowed', () => {
  expect(() => checkLogprobLimits({ top_logprobs: 21 })).toThrow(refused('top_logprobs'));
  expect(() => checkLogprobLimits({ prompt_logprobs: 21 })).toThrow(refused('prompt_logprobs'));
  expect(() => checkLogprobLimits({ prompt_logprobs: -1 })).toThrow(refused('prompt_logprobs'));
  expect(() => checkLogprobLimits({ top_logprobs: 20, prompt_logprobs: null })).not.toThrow();
  expect(() => checkLogprobLimits({ prompt_logprobs: -1 }, -1)).not.toThrow();
});
