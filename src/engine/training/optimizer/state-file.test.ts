import { expect, test } from 'vitest';
import { encodeSafetensors } from '../../models/safetensors/write.ts';
import { decodeOptimizer, encodeOptimizer, optimizerFile } from './state-file.ts';

const state = {
  step: 7,
  first: new Map([['model.layers.0.mlp.up_proj', { a: Float32Array.of(1.1, -2), b: Float32Array.of(1e-30) }]]),
  second: new Map([['model.layers.0.mlp.up_proj', { a: Float32Array.of(0, 3), b: Float32Array.of(4e20) }]]),
};

test('reads the state of an optimizer from its file bit by bit', () => {
  expect(decodeOptimizer(encodeOptimizer(state))).toEqual(state);
});

test.each([
  ['a file that was cut off', encodeOptimizer(state).subarray(0, -1), /ends beyond the end of the file/],
  ['no file at all', new Uint8Array(3), /is not a valid safetensors file/],
  [
    'the file of an adapter',
    encodeSafetensors(new Map([['lora_A', { shape: [1], values: Float32Array.of(1) }]])),
    `${optimizerFile} contains lora_A, which is not part`,
  ],
])('rejects %s', (_, bytes, message) => {
  expect(() => decodeOptimizer(bytes)).toThrow(expect.objectContaining({ kind: 'invalidInput' }));
  expect(() => decodeOptimizer(bytes)).toThrow(message);
});
