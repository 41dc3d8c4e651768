import type { Value } from '../../graphs/onnx/builder.ts';
import type { ModelConfig } from '../../models/config.ts';
import type { Blocks } from './attention-blocks.ts';

/** The inputs that all layers of a training graph share: B rows of N tokens each, T = B · N tokens in total. */
export type TrainingContext = {
  config: ModelConfig;
  weights: Weights;
  inputs: TrainingInputs;
};

/** The weights belong to the outer graph, and its branches use them by name. */
type Weights = { get(name: string): Value; has(name: string): boolean };

type TrainingInputs = {
  /** `[B, N]` */
  positions: Value;
  /** `[positions, head dim / 2]` */
  cosines: Value;
  sines: Value;
  /** For rotating back. */
  negativeSines: Value;
  blocks: Blocks;
  /** The shapes of activations, with the B and N of this run. */
  shapes: Shapes;
  /** Alpha ÷ rank, a scalar. */
  loraScale: Value;
};

/** Shapes as values. */
export type Shapes = {
  /** `[B, N, -1]` */
  rows: Value;
  /** `[B, N, heads, head dim]`; `keyHeads` has the number of heads of keys and values. */
  queryHeads: Value;
  keyHeads: Value;
};

/** One layer. `graph` gets its nodes: the graph itself, or the branch of the backward pass. */
export type LayerContext = TrainingContext & { layer: number; window: number | null };

export function weightOf({ weights, layer }: LayerContext, name: string): Value {
  return weights.get(`layers.${layer}.${name}`);
}

export function hasBias({ weights, layer }: LayerContext, name: string): boolean {
  return weights.has(`layers.${layer}.${name}.bias`);
}
