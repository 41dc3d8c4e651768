import { adaptedLinear } from './adapters.ts';
import type { LayerContext } from './attention.ts';
import type { GraphBuilder, Value } from './onnx/builder.ts';

/** SwiGLU without its last linear layer: `silu(x · gate) ∘ (x · up)`. */
export function gatedFeedForward(graph: GraphBuilder, context: LayerContext, x: Value): Value {
  const gated = (branch: GraphBuilder, [gate, up]: Value[]) => {
    const silu = branch.op('QuickGelu', [gate!], { alpha: { float: 1 } });
    return [branch.op('Mul', [silu, up!])];
  };
  const shapes = [['B', 'N', context.config.feedForwardSize]];
  return adaptedLinear(graph, context, 'gateUp', x, { shapes, next: gated })[0]!;
}
