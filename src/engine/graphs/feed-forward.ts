import type { ModelConfig } from '../models/config.ts';
import { linear } from './linear.ts';
import type { GraphBuilder, Value } from './onnx/builder.ts';

/** SwiGLU: `(silu(x · gate) ∘ (x · up)) · down`. */
export function feedForward(graph: GraphBuilder, config: ModelConfig, x: Value, prefix: string): Value {
  const sizes = graph.integers(config.feedForwardSize, config.feedForwardSize);
  const [gate, up] = graph.ops('Split', [linear(graph, x, `${prefix}.gateUp`), sizes], { axis: -1 }, 2);
  const silu = graph.op('QuickGelu', [gate!], { alpha: { float: 1 } });
  return linear(graph, graph.op('Mul', [silu, up!]), `${prefix}.down`);
}
