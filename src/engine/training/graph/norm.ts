import type { GraphBuilder, Value } from '../../graphs/onnx/builder.ts';

/** What the backward pass needs: `1 / rms(x)`, `x̂ = x / rms(x)`, and `x̂ ∘ weight`. */
export type NormState = { inverse: Value; normed: Value; output: Value };

/** Divides each vector of the last dimension by its root mean square and multiplies it by the weights, in one operator. */
export function rmsNorm(graph: GraphBuilder, x: Value, weight: Value, epsilon: number): Value {
  return graph.op('SimplifiedLayerNormalization', [x, weight], { axis: -1, epsilon: { float: epsilon } });
}

/** The same in separate steps, for the backward pass. */
export function rmsNormSteps(graph: GraphBuilder, x: Value, weight: Value, epsilon: number): NormState {
  const squares = meanOfLast(graph, graph.op('Mul', [x, x]));
  const root = graph.op('Sqrt', [graph.op('Add', [squares, graph.float(epsilon)])]);
  const inverse = graph.op('Div', [graph.float(1), root]);
  const normed = graph.op('Mul', [x, inverse]);
  return { inverse, normed, output: graph.op('Mul', [normed, weight]) };
}

/** With `g = weight ∘ gradient`, the gradient of `x` is `(g - x̂ · mean(x̂ ∘ g)) / rms(x)`. */
export function rmsNormBackward(
  graph: GraphBuilder,
  { inverse, normed }: NormState,
  weight: Value,
  gradient: Value,
): Value {
  const weighed = graph.op('Mul', [gradient, weight]);
  const along = meanOfLast(graph, graph.op('Mul', [normed, weighed]));
  return graph.op('Mul', [graph.op('Sub', [weighed, graph.op('Mul', [normed, along])]), inverse]);
}

function meanOfLast(graph: GraphBuilder, x: Value): Value {
  return graph.op('ReduceMean', [x, graph.integers(-1)], { keepdims: 1 });
}
