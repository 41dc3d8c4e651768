import type { GraphBuilder, Value } from './onnx/builder.ts';

/** Divides each vector of the last dimension by its root mean square, and multiplies it by the weights. */
export function rmsNorm(graph: GraphBuilder, x: Value, name: string, epsilon: number): Value {
  const attributes = { axis: -1, epsilon: { float: epsilon } };
  return graph.op('SimplifiedLayerNormalization', [x, graph.weight(name)], attributes);
}

/** Adds `x` to the residual stream, and norms the sum for the next part. */
export function addAndNorm(
  graph: GraphBuilder,
  residual: Value,
  x: Value,
  name: string,
  epsilon: number,
): { residual: Value; normed: Value } {
  const attributes = { epsilon: { float: epsilon } };
  const inputs = [x, residual, graph.weight(name)];
  const [normed, , , sum] = graph.ops('SkipSimplifiedLayerNormalization', inputs, attributes, 4);
  return { residual: sum!, normed: normed! };
}

/** Limits values to ± `cap`: `cap · tanh(x / cap)`. */
export function capped(graph: GraphBuilder, x: Value, cap: number | null): Value {
  if (cap === null) return x;
  return graph.op('Mul', [graph.op('Tanh', [graph.op('Div', [x, graph.float(cap)])]), graph.float(cap)]);
}
