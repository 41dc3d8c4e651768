import type { Value } from '../../graphs/onnx/builder.ts';
import type { ModelConfig } from '../../models/config.ts';
import type { Blocks } from './attention-blocks.ts';

/** What all layers of a training graph share: B rows of N tokens each, T = B · N tokens in all. */
export type TrainingContext = {
  config: ModelConfig;
  weights: Weights;
  inputs: TrainingInputs;
};

/** The weights belong to the outer graph; its branches use them by name. */
type Weights = { get(name: string): Value; has(name: string): boolean };

type TrainingInputs = {
  /** `[B, N]` */
  positions: Value;
  /** `[positions, head dim / 2]` */
  cosines: Value;
  sines: Value;
  /** Rotated back. */
  negativeSines: Value;
  blocks: Blocks;
  /** The shapes of activations, with B and N of this run. */
  shapes: Shapes;
  /** Alpha over rank, a scalar. */
  loraScale: Value;
};

/** Shapes as values, by what they are for. */
export type Shapes = {
  /** `[B, N, -1]` */
  rows: Value;
  /** `[B, N, heads, head dim]`, and with the heads of keys and values. */
  queryHeads: Value;
  keyHeads: Value;
};

/** One layer's place in a graph. `graph` is where its nodes go: the graph, or the branch of the backward pass. */
export type LayerContext = TrainingContext & { layer: number; window: number | null };

export function weightOf({ weights, layer }: LayerContext, name: string): Value {
  return weights.get(`layers.${layer}.${name}`);
}

export function hasBias({ weights, layer }: LayerContext, name: string): boolean {
  return weights.has(`layers.${layer}.${name}.bias`);
}
