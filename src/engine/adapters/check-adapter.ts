import { invalidInput } from '../../util/failures.ts';
import type { ModelConfig } from '../models/config.ts';
import { type Adapter, adapterScale } from './adapter.ts';
import { type LayerSize, linearLayers } from './linear-layers.ts';

/** @throws Failure if the adapter does not fit the model or has unusable values */
export function checkAdapter(adapter: Adapter, config: ModelConfig): void {
  const { modules, rank } = adapter;
  const lengths = new Map([...modules].map(([name, { a, b }]) => [name, { a: a.length, b: b.length }]));
  checkModules(lengths, rank, linearLayers(config));
  for (const [name, { a, b }] of modules) {
    checkValues(name, 'lora_A', a, 1);
    checkValues(name, 'lora_B', b, adapterScale(adapter));
  }
}

/** Checks only the names and sizes of modules. */
export function checkModules(
  modules: ReadonlyMap<string, { a: number; b: number }>,
  rank: number,
  layers: ReadonlyMap<string, LayerSize>,
): void {
  if (modules.size === 0) throw invalidInput('The adapter has no weights.');
  for (const [name, { a, b }] of modules) {
    const layer = layers.get(name);
    if (layer === undefined) throw invalidInput(unknownModule(name, [...layers.keys()]));
    checkLength(name, 'lora_A', a, rank, layer);
    checkLength(name, 'lora_B', b, rank, layer);
  }
}

function checkLength(
  name: string,
  part: 'lora_A' | 'lora_B',
  length: number,
  rank: number,
  { inSize, outSize }: LayerSize,
): void {
  const expected = part === 'lora_A' ? [rank, inSize] : [outSize, rank];
  if (length === expected[0]! * expected[1]!) return;
  throw invalidInput(
    `${part} of ${name} has ${length} elements; with rank ${rank} this model expects ${expected.join(' × ')}.`,
  );
}

/**
 * A batch computes each adapter for all of its sequences and multiplies the results of other sequences by zero. Weights and
 * their products with activations must therefore be finite: infinity times zero is NaN.
 */
const valueMax = 1e15;

function checkValues(name: string, part: string, values: Float32Array, scale: number): void {
  if (values.every((value) => Math.abs(value * scale) <= valueMax)) return;
  throw invalidInput(`${part} of ${name} contains values that are not numbers or above ${valueMax}.`);
}

function unknownModule(name: string, known: string[]): string {
  const parts = known.map((each) => each.split('.')); // model.layers.0.self_attn.q_proj
  const [layers, kinds] = [2, -1].map((at) => new Set(parts.map((each) => each.at(at))));
  return `The adapter has weights for ${name}. This model has ${layers!.size} layers, and adapters can change ${[...kinds!].join(', ')} of each.`;
}
