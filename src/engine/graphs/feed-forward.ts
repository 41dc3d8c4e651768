import type { ModelConfig } from '../models/config.ts';
import { adaptedLinear, splitAt } from './adapters.ts';
import type { LayerContext } from './attention.ts';
import type { GraphBuilder, Value } from './onnx/builder.ts';

/** A gated feed-forward without its last linear layer: `silu(x · gate) ∘ (x · up)`, or with GELU. */
export function gatedFeedForward(graph: GraphBuilder, context: LayerContext, x: Value): Value {
  const { feedForwardSize, activation } = context.config;
  const gated = (branch: GraphBuilder, parts: Value[]) => {
    const [gate, up] = splitAt(branch, parts, [feedForwardSize, feedForwardSize]);
    return [branch.op('Mul', [activated(branch, gate!, activation), up!])];
  };
  const shapes = [['B', 'N', feedForwardSize]];
  return adaptedLinear(graph, context, 'gateUp', x, { shapes, next: gated })[0]!;
}

/** GELU is approximated with `tanh`, as in Gemma. */
export function activated(graph: GraphBuilder, x: Value, activation: ModelConfig['activation']): Value {
  return activation === 'gelu' ? graph.op('FastGelu', [x]) : graph.op('QuickGelu', [x], { alpha: { float: 1 } });
}
