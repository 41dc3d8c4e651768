import { expect, test } from 'vitest';
import { logprobMin, logSumExp, promptLogprobsAt } from './logprobs.ts';
import { neutralSampling, type SamplingParameters } from './parameters.ts';
import { Sampler } from './sampler.ts';

const greedy = { ...neutralSampling, temperature: 0 };

test('77 greedy ignores the filters', () => {
  expect(run({ ...greedy, topK: 1, topP: 0.1, minP: 0.9 }, [[1, 3, 2]])).toEqual([1]);
});

test('80 the same seed gives the same tokens, whatever else the thread samples', () => {
  const rows = Array.from({ length: 30 }, (_, step) => Array.from({ length: 50 }, (_, id) => Math.sin(step * 7 + id)));
  const alone = run({ ...neutralSampling, seed: 7n }, rows);
  const one = new Sampler({ ...neutralSampling, seed: 7n }, []);
  const other = new Sampler({ ...neutralSampling, seed: 8n }, []);
  for (const row of rows) {
    other.sample(Float32Array.from(row));
    one.sample(Float32Array.from(row));
  }
  expect(one.output).toEqual(alone);
  expect(other.output).not.toEqual(alone);
});

test('90 frequency_penalty takes 2 for each time a token came out', () => {
  const row = [10, 9, 7];
  // 10·9·7 → 0; 8·9·7 → 1; 8·7·7 → 0; 6·7·7 → 1 (lowest id on ties); 6·5·7 → 2; 6·5·5 → 0
  expect(run({ ...greedy, frequencyPenalty: 2 }, Array(6).fill(row))).toEqual([0, 1, 0, 1, 2, 0]);
});

test('91 presence_penalty counts a token once, and may reward it', () => {
  expect(run({ ...greedy, presencePenalty: 2 }, Array(4).fill([10, 9, 7.5]))).toEqual([0, 1, 0, 0]);
  expect(
    run({ ...greedy, presencePenalty: -2 }, [
      [1, 0],
      [0, 1],
    ]),
  ).toEqual([0, 0]);
});

test('92 repetition_penalty reaches the prompt, and multiplies negative logits', () => {
  expect(run({ ...greedy, repetitionPenalty: 1.5 }, [[3, 2.5]], [0])).toEqual([1]);
  expect(run({ ...greedy, repetitionPenalty: 1.5 }, [[-1, -1.4]], [0])).toEqual([1]);
});

test('93 frequency and presence penalties do not look at the prompt', () => {
  expect(run({ ...greedy, frequencyPenalty: 2, presencePenalty: 2 }, [[3, 2.5]], [0, 0])).toEqual([0]);
});

test('94 logit_bias decides', () => {
  expect(run({ ...greedy, logitBias: [[2, 100]] }, [[50, 1, 0]])).toEqual([2]);
  expect(run({ ...greedy, logitBias: [[0, -100]] }, [[50, 1, 0]])).toEqual([1]);
});

test('96 allowed_token_ids leave nothing else', () => {
  expect(
    run({ ...greedy, allowedTokenIds: [1, 2] }, [
      [50, 1, 2],
      [50, 3, 2],
    ]),
  ).toEqual([2, 1]);
});

test('97 a bad word is never completed in the output, wherever the prompt ends', () => {
  const parameters = { ...greedy, badWords: [[0, 1]] };
  expect(run(parameters, [[0, 9, 1]], [0])).toEqual([1]);
  expect(
    run(parameters, [
      [9, 0, 0],
      [0, 9, 5],
      [0, 9, 5],
    ]),
  ).toEqual([0, 2, 1]);
  expect(run({ ...greedy, badWords: [[1]] }, [[0, 9, 5]])).toEqual([2]);
});

test('74 end tokens wait for min_tokens', () => {
  const parameters = { ...greedy, minTokens: 2, endTokenIds: [0, 1] };
  expect(
    run(parameters, [
      [9, 8, 1],
      [9, 8, 1],
      [9, 8, 1],
    ]),
  ).toEqual([2, 2, 0]);
});

test('132 constraints that leave no token are told apart', () => {
  const sampler = new Sampler({ ...greedy, allowedTokenIds: [0] }, []);
  expect(sampler.sample(Float32Array.of(1, 2), { mask: Int32Array.of(0b10) })).toBeNull();
  expect(sampler.output).toEqual([]);
});

test('a grammar mask stands before everything, bits beyond the vocabulary ignored', () => {
  const row = Float32Array.from({ length: 40 }, (_, id) => id);
  const sampler = new Sampler(greedy, [], 1);
  const sampled = sampler.sample(row, { mask: Int32Array.of(-1, ~0x1ff & ~(1 << 7) & 0) })!;
  expect(sampled.id).toBe(31);
  expect(sampled.logprobs!.token.logprob).toBeCloseTo(
    31 - logSumExp(Float32Array.from({ length: 32 }, (_, id) => id)),
    5,
  );
});

test('136 alternatives come best first, and the best is what greedy takes', () => {
  const sampler = new Sampler(greedy, [], 3);
  const { id, logprobs } = sampler.sample(Float32Array.of(1, 4, 2, 3))!;
  expect(logprobs!.top.map((entry) => entry.id)).toEqual([1, 3, 2]);
  expect(logprobs!.top.map((entry) => entry.rank)).toEqual([1, 2, 3]);
  expect(id).toBe(1);
});

test('138 logprobs are those of the raw logits, whatever the sampling does', () => {
  const row = Float32Array.of(1, 4, 2, 3);
  const parameters = { ...neutralSampling, temperature: 0.1, logitBias: [[0, 100]] as const, frequencyPenalty: 1 };
  const { id, logprobs } = new Sampler(parameters, [], 0).sample(row)!;
  expect(id).toBe(0);
  expect(logprobs).toEqual({ token: { id: 0, logprob: expect.closeTo(1 - logSumExp(row), 6), rank: 4 }, top: [] });
});

test('131 no logprob is below -9999', () => {
  const { logprobs } = new Sampler(greedy, [], -1).sample(Float32Array.of(1, -Infinity))!;
  expect(logprobs!.top.map((entry) => entry.logprob)).toEqual([0, logprobMin]);
});

test('143 prompt_logprobs give the token first, then the best others', () => {
  const row = Float32Array.of(1, 4, 2, 3);
  expect(promptLogprobsAt(row, 0, 0).map((entry) => [entry.id, entry.rank])).toEqual([[0, 4]]);
  expect(promptLogprobsAt(row, 1, 2).map((entry) => [entry.id, entry.rank])).toEqual([
    [1, 1],
    [3, 2],
  ]);
  expect(promptLogprobsAt(row, 0, 2).map((entry) => [entry.id, entry.rank])).toEqual([
    [0, 4],
    [1, 1],
    [3, 2],
  ]);
});

test('a tie counts against the rank', () => {
  expect(promptLogprobsAt(Float32Array.of(2, 2, 1), 0, 0)[0]!.rank).toBe(2);
});

test('the highest logits alone give the same token and logprobs where they are enough', () => {
  const row = Float32Array.of(1, 4, 2, 3);
  const top = { tokens: [1, 3, 2], logits: [4, 3, 2], logSumExp: logSumExp(row) };
  const whole = new Sampler(greedy, [], 3);
  const reduced = new Sampler(greedy, [], 3);
  expect(reduced.topNeeded).toBe(3);
  expect(reduced.sampleTop(top)).toEqual(whole.sample(row));
  expect(new Sampler(neutralSampling, [], 3).topNeeded).toBeNull();
  expect(new Sampler({ ...greedy, logitBias: [[1, 1]] }, []).topNeeded).toBeNull();
});

function run(parameters: SamplingParameters, rows: number[][], prompt: number[] = []): number[] {
  const sampler = new Sampler(parameters, prompt);
  for (const row of rows) sampler.sample(Float32Array.from(row));
  return sampler.output;
}
