import { describe, expect, test } from 'vitest';
import { logprobMin, logSumExp, promptLogprobsAt } from './logprobs.ts';
import type { SamplingParameters } from './parameters.ts';
import { Sampler } from './sampler.ts';
import { neutralSampling } from './testing/neutral-sampling.ts';

const greedy = { ...neutralSampling, temperature: 0 };

test('greedy sampling ignores the filters [chat 77]', () => {
  expect(run({ ...greedy, topK: 1, topP: 0.1, minP: 0.9 }, [[1, 3, 2]])).toEqual([1]);
});

test('the same seed gives the same tokens, whatever else the thread samples [chat 80]', () => {
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

test('frequency_penalty is subtracted for each occurrence in the output [chat 90]', () => {
  const row = [10, 9, 7];
  // 10·9·7 → 0; 8·9·7 → 1; 8·7·7 → 0; 6·7·7 → 1 (lowest id on ties); 6·5·7 → 2; 6·5·5 → 0
  expect(run({ ...greedy, frequencyPenalty: 2 }, Array(6).fill(row))).toEqual([0, 1, 0, 1, 2, 0]);
});

test('presence_penalty counts a token once, and may be negative [chat 91]', () => {
  expect(run({ ...greedy, presencePenalty: 2 }, Array(4).fill([10, 9, 7.5]))).toEqual([0, 1, 0, 0]);
  expect(
    run({ ...greedy, presencePenalty: -2 }, [
      [1, 0],
      [0, 1],
    ]),
  ).toEqual([0, 0]);
});

test('repetition_penalty applies to the prompt, and multiplies negative logits [chat 92]', () => {
  expect(run({ ...greedy, repetitionPenalty: 1.5 }, [[3, 2.5]], [0])).toEqual([1]);
  expect(run({ ...greedy, repetitionPenalty: 1.5 }, [[-1, -1.4]], [0])).toEqual([1]);
});

test('frequency and presence penalties ignore the prompt [chat 93]', () => {
  expect(run({ ...greedy, frequencyPenalty: 2, presencePenalty: 2 }, [[3, 2.5]], [0, 0])).toEqual([0]);
});

test('applies logit_bias [chat 94]', () => {
  expect(run({ ...greedy, logitBias: [[2, 100]] }, [[50, 1, 0]])).toEqual([2]);
  expect(run({ ...greedy, logitBias: [[0, -100]] }, [[50, 1, 0]])).toEqual([1]);
});

test('allowed_token_ids forbid all other tokens [chat 96]', () => {
  expect(
    run({ ...greedy, allowedTokenIds: [1, 2] }, [
      [50, 1, 2],
      [50, 3, 2],
    ]),
  ).toEqual([2, 1]);
});

test('never completes a bad word in the output, wherever the prompt ends [chat 97]', () => {
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

test('forbids end tokens before min_tokens [chat 74]', () => {
  const parameters = { ...greedy, minTokens: 2, endTokenIds: [0, 1] };
  expect(
    run(parameters, [
      [9, 8, 1],
      [9, 8, 1],
      [9, 8, 1],
    ]),
  ).toEqual([2, 2, 0]);
});

test('reports constraints that leave no token [chat 132]', () => {
  const sampler = new Sampler({ ...greedy, allowedTokenIds: [0] }, []);
  expect(sampler.sample(Float32Array.of(1, 2), { mask: Int32Array.of(0b10) })).toBeNull();
  expect(sampler.output).toEqual([]);
});

test('a grammar mask takes precedence, and its bits beyond the vocabulary are ignored', () => {
  const row = Float32Array.from({ length: 40 }, (_, id) => id);
  const sampled = new Sampler(greedy, [], 1).sample(row, { mask: Int32Array.of(-1, ~0x1ff & ~(1 << 7) & 0) })!;
  expect(sampled.id).toBe(31);
});

test('reports the logprobs of the model under a grammar mask, too', () => {
  const row = Float32Array.of(1, 4, 2, 3);
  const { id, logprobs, drawnLogprob } = new Sampler(neutralSampling, [], 1).sample(row, { mask: Int32Array.of(0b1) })!;
  expect([id, drawnLogprob]).toEqual([0, 0]);
  expect(logprobs!.token).toEqual({ id: 0, logprob: expect.closeTo(1 - logSumExp(row), 6), rank: 4 });
  expect(logprobs!.top.map((entry) => entry.id)).toEqual([1]);
  expect([...row]).toEqual([1, 4, 2, 3]);
});

test('sorts alternatives best first, and the best is the greedy token [chat 136]', () => {
  const sampler = new Sampler(greedy, [], 3);
  const { id, logprobs } = sampler.sample(Float32Array.of(1, 4, 2, 3))!;
  expect(logprobs!.top.map((entry) => entry.id)).toEqual([1, 3, 2]);
  expect(logprobs!.top.map((entry) => entry.rank)).toEqual([1, 2, 3]);
  expect(id).toBe(1);
});

test('reports the logprobs of the raw logits, whatever the sampling [chat 138]', () => {
  const row = Float32Array.of(1, 4, 2, 3);
  const parameters = { ...neutralSampling, temperature: 0.1, logitBias: [[0, 100]] as const, frequencyPenalty: 1 };
  const { id, logprobs } = new Sampler(parameters, [], 0).sample(row)!;
  expect(id).toBe(0);
  expect(logprobs).toEqual({ token: { id: 0, logprob: expect.closeTo(1 - logSumExp(row), 6), rank: 4 }, top: [] });
});

test('reports no logprob below -9999 [chat 131]', () => {
  const { logprobs } = new Sampler(greedy, [], -1).sample(Float32Array.of(1, -Infinity))!;
  expect(logprobs!.top.map((entry) => entry.logprob)).toEqual([0, logprobMin]);
});

test('prompt_logprobs have the token first, then the best others [chat 143]', () => {
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

test('a tie lowers the rank', () => {
  expect(promptLogprobsAt(Float32Array.of(2, 2, 1), 0, 0)[0]!.rank).toBe(2);
});

test('the highest logits alone give the same token and logprobs if they suffice', () => {
  const row = Float32Array.of(1, 4, 2, 3);
  const top = { tokens: [1, 3, 2], logits: [4, 3, 2], logSumExp: logSumExp(row) };
  const whole = new Sampler(greedy, [], 3);
  const reduced = new Sampler(greedy, [], 3);
  expect(reduced.topNeeded).toBe(3);
  expect(reduced.sampleTop(top)).toEqual(whole.sample(row));
  expect(new Sampler(neutralSampling, [], 3).topNeeded).toBeNull();
  expect(new Sampler({ ...greedy, logitBias: [[1, 1]] }, []).topNeeded).toBeNull();
});

describe('100,000 tokens are as frequent as their drawn logprobs say', () => {
  const mask = Int32Array.of(0b1111_1101);
  test.each<[string, Partial<SamplingParameters>, Int32Array | null]>([
    ['temperature', { temperature: 0.6 }, null],
    ['min_p, top_k and top_p', { temperature: 1.3, minP: 0.05, topK: 6, topP: 0.9 }, null],
    ['penalties', { repetitionPenalty: 1.4, presencePenalty: 0.7, frequencyPenalty: 0.3 }, null],
    ['bias and forbidden tokens', { logitBias: [[3, 1.5]], badWords: [[0]], allowedTokenIds: [0, 1, 2, 3, 5] }, null],
    [
      'a grammar with all of them',
      { temperature: 0.8, topP: 0.95, logitBias: [[2, -1]], repetitionPenalty: 1.2 },
      mask,
    ],
  ])('with %s', (_, given, mask) => {
    const row = Float32Array.of(1.2, 0.4, 2, -0.3, 0.9, 1.1, -1.5, 0.2);
    const draws = 20_000;
    const counts = new Map<number, { count: number; logprob: number }>();
    for (let seed = 0; seed < draws; seed++) {
      const sampler = new Sampler({ ...neutralSampling, ...given, seed: BigInt(seed) }, [2, 4]);
      const { id, drawnLogprob } = sampler.sample(row, { mask })!;
      const known = counts.get(id) ?? { count: 0, logprob: drawnLogprob };
      expect(drawnLogprob).toBe(known.logprob);
      counts.set(id, { ...known, count: known.count + 1 });
    }
    const all = [...counts.values()].map(({ count, logprob }) => ({ count, expected: draws * Math.exp(logprob) }));
    expect(all.reduce((sum, { expected }) => sum + expected, 0)).toBeCloseTo(draws, 6);
    const chiSquare = all.reduce((sum, { count, expected }) => sum + (count - expected) ** 2 / expected, 0);
    expect(chiSquare).toBeLessThan(24.32); // at most 7 degrees of freedom, p = 0.001
  });
});

function run(parameters: SamplingParameters, rows: number[][], prompt: number[] = []): number[] {
  const sampler = new Sampler(parameters, prompt);
  for (const row of rows) sampler.sample(Float32Array.from(row));
  return sampler.output;
}
