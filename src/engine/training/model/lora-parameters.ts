import { invalidInput } from '../../../util/failures.ts';
import type { AdapterModule } from '../../adapters/adapter.ts';
import { philox } from '../../sampling/random.ts';
import type { LoraLayout } from '../graph/lora-layout.ts';

/** New LoRA weights like those of `peft`: `a` is uniform within ± `1 / √in`, and `b` is zero, so that they have no effect. */
export function newParameters({ tensors, length }: LoraLayout, seed: number): Float32Array {
  const parameters = new Float32Array(length);
  for (const { kind, offset, shape } of tensors) {
    if (kind === 'b') continue;
    const bound = 1 / Math.sqrt(shape[1]);
    const end = offset + shape[0] * shape[1];
    for (let i = offset; i < end; i += 4) {
      const words = philox([i, 0, 0, 0], [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0]);
      for (let j = 0; j < 4 && i + j < end; j++) parameters[i + j] = bound * (words[j]! / 2 ** 31 - 1);
    }
  }
  return parameters;
}

/** Copies the parameters of each module. */
export function toModules(layout: LoraLayout, parameters: Float32Array): Map<string, AdapterModule> {
  const modules = new Map<string, AdapterModule>();
  for (const part of partsOf(layout)) {
    const values = parameters.slice(part.offset, part.offset + part.length);
    modules.set(part.module, { ...(modules.get(part.module) as AdapterModule), [part.kind]: values });
  }
  return modules;
}

/** The inverse of `toModules`. @throws Failure if the modules are not exactly those of the layout */
export function fromModules(layout: LoraLayout, modules: ReadonlyMap<string, AdapterModule>): Float32Array {
  const parameters = new Float32Array(layout.length);
  const expected = new Set<string>();
  for (const { module, kind, offset, length } of partsOf(layout)) {
    expected.add(module);
    const values = modules.get(module)?.[kind];
    if (values === undefined) throw invalidInput(`The state has no weights for ${module}, which is trained.`);
    if (values.length !== length) {
      throw invalidInput(`lora ${kind} of ${module} has ${values.length} elements; expected ${length}.`);
    }
    parameters.set(values, offset);
  }
  const unknown = [...modules.keys()].find((name) => !expected.has(name));
  if (unknown !== undefined) throw invalidInput(`The state has weights for ${unknown}, which is not trained.`);
  return parameters;
}

function partsOf({ tensors }: LoraLayout) {
  return tensors.flatMap(({ modules, kind, offset, shape }) => {
    const length = (shape[0] * shape[1]) / modules.length;
    return modules.map((module, i) => ({ module, kind, offset: offset + i * length, length }));
  });
}
