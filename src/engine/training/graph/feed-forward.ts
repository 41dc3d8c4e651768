import type { GraphBuilder, Value } from '../../graphs/onnx/builder.ts';

/** `silu(gate) ∘ up` */
export function swiGlu(graph: GraphBuilder, gate: Value, up: Value): Value {
  return graph.op('Mul', [graph.op('QuickGelu', [gate], { alpha: { float: 1 } }), up]);
}

/**
 * With `s = sigmoid(gate)` and the output `a = gate · s · up`, the gradient of `gate` is `gradient · (a + s · (up - a))`.
 */
export function swiGluBackward(
  graph: GraphBuilder,
  { gate, up, output }: { gate: Value; up: Value; output: Value },
  gradient: Value,
): { gate: Value; up: Value } {
  const sigmoid = graph.op('Sigmoid', [gate]);
  const slope = graph.op('Add', [output, graph.op('Mul', [sigmoid, graph.op('Sub', [up, output])])]);
  return {
    gate: graph.op('Mul', [gradient, slope]),
    up: graph.op('Mul', [gradient, graph.op('Mul', [gate, sigmoid])]),
  };
}
