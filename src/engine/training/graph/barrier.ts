import type { GraphBuilder, Value } from '../../graphs/onnx/builder.ts';

/**
 * `x`, once all the others are computed. ONNX Runtime computes nodes in an order of its own choice, and a value that is
 * computed early takes memory until it is used. A reshape to a matrix's own shape copies nothing; it waits for the
 * others because nothing of their shapes is added to it.
 * @param others each has a dimension that is not known before the graph runs: otherwise its shape is a constant
 */
export function waitFor(graph: GraphBuilder, x: Value, others: Value[]): Value {
  const shapes = others.map((other) => graph.op('Shape', [other]));
  const sizes = shapes.length === 1 ? shapes[0]! : graph.op('Concat', shapes, { axis: 0 });
  const sum = graph.op('ReduceSum', [sizes, graph.integers(0)], { keepdims: 1 });
  const nothing = graph.op('Mul', [sum, graph.integers(0)]);
  return graph.op('Reshape', [x, graph.op('Add', [graph.op('Shape', [x]), nothing])]);
}
