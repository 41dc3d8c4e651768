import { expect, test } from 'vitest';
import { rowsOf } from './rows.ts';
import type { Tensor } from './training-request.ts';

const tokens = Int32Array.of(5, 6, 7);
const floats = (values: number[], shape = [values.length]): Tensor => ({
  shape,
  values: Float32Array.from(values),
  sparse: null,
});
const ints = (values: number[], shape = [values.length]): Tensor => ({
  shape,
  values: Int32Array.from(values),
  sparse: null,
});

function rowOf(lossName: string, inputs: Record<string, Tensor>) {
  return rowsOf({ data: [{ tokens, inputs: new Map(Object.entries(inputs)) }], lossName }, 10)[0]!;
}

test('each token predicts its target', () => {
  const { row, shape } = rowOf('cross_entropy', { target_tokens: ints([6, 7, 8]), weights: floats([0, 1, 2]) });
  expect(shape).toEqual([3]);
  expect(row.targets).toMatchObject({
    places: Int32Array.of(0, 1, 2),
    tokens: Int32Array.of(6, 7, 8),
    weights: Float32Array.of(0, 1, 2),
  });
});

test('a token can have several targets', () => {
  const inputs = { target_tokens: ints([1, 2, 3, 4, 5, 6], [3, 2]), weights: floats([1, 0, 0, 1, 1, 1], [3, 2]) };
  const { row, shape } = rowOf('cross_entropy', inputs);
  expect(shape).toEqual([3, 2]);
  expect(row.targets.places).toEqual(Int32Array.of(0, 0, 1, 1, 2, 2));
});

test('a sparse matrix has the targets that it lists', () => {
  const target_tokens = { ...ints([8, 9], [3, 4]), sparse: { rowStarts: [0, 1, 1, 2], columns: [2, 0] } };
  const weights = { ...floats([0.5], [3, 4]), sparse: { rowStarts: [0, 0, 0, 1], columns: [0] } };
  const { row, cells } = rowOf('cross_entropy', { target_tokens, weights });
  expect(row.targets).toMatchObject({
    places: Int32Array.of(0, 2),
    tokens: Int32Array.of(8, 9),
    weights: Float32Array.of(0, 0.5),
  });
  expect(cells).toEqual(Int32Array.of(2, 8));
});

const targets = { target_tokens: ints([6, 7, 8]) };
const policy = { ...targets, logprobs: floats([0, 0, 0]), advantages: floats([1, 1, 1]) };

test.each([
  ['cross_entropy', {}, 'data[0].loss_fn_inputs.target_tokens is missing'],
  ['cross_entropy', { target_tokens: ints([1]) }, 'target_tokens has the shape [1], for 3 tokens'],
  ['cross_entropy', { ...targets, weights: floats([1]) }, 'weights has the shape [1]; target_tokens has [3]'],
  ['cross_entropy', { ...targets, weights: floats([1, Number.NaN, 1]) }, 'weights has a value that is not finite'],
  ['ppo', targets, 'logprobs is missing; ppo needs it'],
  ['ppo', { ...policy, weights: floats([1, 1, 1]) }, 'weights is not an input of ppo here'],
  ['gspo', { ...policy, sequence_ratio_mask: floats([1, 1, 2]) }, 'sequence_ratio_mask must be 0 or 1'],
  ['gspo', { ...policy, sequence_ratio_mask: floats([0, 1, 1]) }, 'advantages is not 0 at 0, which is outside'],
] as [string, Record<string, Tensor>, string][])('names what %s with %o lacks', (lossName, inputs, message) => {
  expect(() => rowOf(lossName, inputs)).toThrow(message);
});

test('rejects a sequence that is too long, and data without sequences', () => {
  const long = { tokens: new Int32Array(11), inputs: new Map() };
  expect(() => rowsOf({ data: [long], lossName: 'ppo' }, 10)).toThrow('data[0].model_input has 11 tokens; at most 10');
  expect(() => rowsOf({ data: [], lossName: 'ppo' }, 10)).toThrow('data must not be empty');
});
