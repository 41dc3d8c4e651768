import type { ModelConfig } from '../models/config.ts';
import { linearLayers } from './linear-layers.ts';

/**
 * The positions of an adapter's weights in its matrices. There is one matrix for each layer of the model, `[rank, width]`;
 * each row has the weights of all linear layers at this rank. A batch stacks the matrices of its adapters.
 */
export type AdapterLayout = {
  layers: number;
  width: number;
  /** By the name of the linear layer in the graph, such as `qkv`. */
  linear: ReadonlyMap<string, AdaptedLinear>;
};

/** A linear layer of the graph. It consists of one or more linear layers of the model. */
export type AdaptedLinear = {
  inSize: number;
  /** The first column of the `a` matrices of all parts, which are side by side. */
  a: number;
  parts: AdaptedPart[];
};

/** `module` is the name within a layer, such as `self_attn.q_proj`; `b` is the first of `outSize` columns. */
type AdaptedPart = { module: string; outSize: number; b: number };

/** A model has one of the alternatives with the same name. */
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

/** The full name of a module in Hugging Face models. */
export function moduleName(layer: number, module: string): string {
  return `model.layers.${layer}.${module}`;
}
