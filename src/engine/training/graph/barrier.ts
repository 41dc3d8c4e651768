import type { GraphBuilder, Value } from '../../graphs/onnx/builder.ts';

/**
 * Returns `x`, but computes it only after `others`. ONNX Runtime chooses the order of nodes, and a value that is computed early
 * uses memory until it is needed. A reshape of a matrix to its own shape does not copy it. Adding zero elements of the others'
 * shapes makes it wait for them.
 * @param others each needs a dimension that is unknown before the run, or its shape would be a constant
 */
export function waitFor(graph: GraphBuilder, x: Value, others: Value[]): Value {
  const shapes = others.map((other) => graph.op('Shape', [other]));
  const sizes = shapes.length === 1 ? shapes[0]! : graph.op('Concat', shapes, { axis: 0 });
  const sum = graph.op('ReduceSum', [sizes, graph.integers(0)], { keepdims: 1 });
  const nothing = graph.op('Mul', [sum, graph.integers(0)]);
  return graph.op('Reshape', [x, graph.op('Add', [graph.op('Shape', [x]), nothing])]);
}
