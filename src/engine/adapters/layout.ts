import type { ModelConfig } from '../models/config.ts';
import { linearLayers } from './linear-layers.ts';

/**
 * Where the weights of an adapter are in its matrices, of which each layer of the model has one, `[rank, width]`: a row
 * has the weights of all linear layers at this rank. The matrices of a batch's adapters are put one below the other.
 */
export type AdapterLayout = {
  layers: number;
  width: number;
  /** By the names of the graph's linear layers: `qkv`. */
  linear: ReadonlyMap<string, AdaptedLinear>;
};

/** A linear layer of the graph, made of one or more of the model's. */
export type AdaptedLinear = {
  inSize: number;
  /** The first of the columns with the `a` of all parts, side by side. */
  a: number;
  parts: AdaptedPart[];
};

/** `b` is the first of its `outSize` columns. The name of the module is the one within a layer: `self_attn.q_proj`. */
type AdaptedPart = { module: string; outSize: number; b: number };

/** Models have the modules of one line for each. */
const partsOfLinear: [name: string, modules: string[]][] = [
  ['qkv', ['self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj']],
  ['qkv', ['self_attn.qkv_proj']],
  ['attentionOut', ['self_attn.o_proj']],
  ['gateUp', ['mlp.gate_proj', 'mlp.up_proj']],
  ['gateUp', ['mlp.gate_up_proj']],
  ['down', ['mlp.down_proj']],
];

export function adapterLayout(config: ModelConfig): AdapterLayout {
  const sizes = linearLayers(config);
  const linear = new Map<string, AdaptedLinear>();
  let width = 0;
  const take = (columns: number) => {
    width += columns;
    return width - columns;
  };
  for (const [name, modules] of partsOfLinear) {
    const sizeOf = (module: string) => sizes.get(moduleName(0, module))!;
    if (sizeOf(modules[0]!) === undefined) continue;
    const { inSize } = sizeOf(modules[0]!);
    const a = take(modules.length * inSize);
    const parts = modules.map((module) => ({
      module,
      outSize: sizeOf(module).outSize,
      b: take(sizeOf(module).outSize),
    }));
    linear.set(name, { inSize, a, parts });
  }
  return { layers: config.layers.length, width, linear };
}

/** The name of a module in Hugging Face models. */
export function moduleName(layer: number, module: string): string {
  return `model.layers.${layer}.${module}`;
}
