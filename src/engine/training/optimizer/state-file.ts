import { Failure, invalidInput } from '../../../util/failures.ts';
import type { AdapterModule } from '../../adapters/adapter.ts';
import { UnsoundFileError, UnsupportedModelError } from '../../models/config.ts';
import { bytesAsFile, type FileBytes } from '../../models/file-bytes.ts';
import { readSafetensorsHeader, type SafetensorsTensor } from '../../models/safetensors/header.ts';
import { encodeSafetensors, type WrittenTensor } from '../../models/safetensors/write.ts';
import { elementCount } from '../../models/weight-source.ts';
import type { OptimizerState } from '../types.ts';

/** The name of the file, in the folder of a checkpoint beside the files of the adapter. */
export const optimizerFile = 'optimizer.safetensors';

const stepName = 'step';
const moments = ['first', 'second'] as const;
const parts = ['a', 'b'] as const;

/** Encodes the moments and the number of steps as a safetensors file. */
export function encodeOptimizer(state: OptimizerState): Uint8Array<ArrayBuffer> {
  const tensors = new Map<string, WrittenTensor>();
  tensors.set(stepName, { shape: [1], values: Float32Array.of(state.step) });
  for (const moment of moments) {
    for (const [module, values] of [...state[moment]].sort(([a], [b]) => (a < b ? -1 : 1))) {
      for (const part of parts) {
        tensors.set(`${moment}.${module}.${part}`, { shape: [values[part].length], values: values[part] });
      }
    }
  }
  return encodeSafetensors(tensors);
}

/** @throws Failure if the file is invalid */
export function decodeOptimizer(bytes: Uint8Array): OptimizerState {
  const file = bytesAsFile(optimizerFile, bytes);
  const state: OptimizerState = { step: 0, first: new Map(), second: new Map() };
  for (const [name, tensor] of headerOf(file)) {
    const values = readTensor(file, tensor);
    const match = /^(first|second)\.(.+)\.(a|b)$/.exec(name);
    if (match) {
      const [, moment, module, part] = match as unknown as [string, 'first' | 'second', string, 'a' | 'b'];
      state[moment].set(module, { ...(state[moment].get(module) as AdapterModule), [part]: values });
    } else if (name === stepName) {
      state.step = values[0]!;
    } else {
      throw invalidInput(`${optimizerFile} contains ${name}, which is not part of the optimizer's state.`);
    }
  }
  return state;
}

function headerOf(file: FileBytes): Map<string, SafetensorsTensor> {
  try {
    return readSafetensorsHeader(file);
  } catch (error) {
    if (!(error instanceof UnsoundFileError || error instanceof UnsupportedModelError)) throw error;
    throw new Failure('invalidInput', `${error.message}.`, {}, { cause: error });
  }
}

function readTensor(file: FileBytes, { type, shape, offset }: SafetensorsTensor): Float32Array {
  return type.decode(file.read(offset, elementCount(shape) * type.bytes));
}
