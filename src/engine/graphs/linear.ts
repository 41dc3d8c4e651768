import type { GraphBuilder, Value } from './onnx/builder.ts';

/** `x · weightᵀ + bias`. Every linear layer of a model but its head comes through here. */
export function linear(graph: GraphBuilder, x: Value, name: string): Value {
  const product = matMulTransposed(graph, x, graph.weight(name));
  return graph.hasWeight(`${name}.bias`) ? graph.op('Add', [product, graph.weight(`${name}.bias`)]) : product;
}

/** `a · bᵀ`. A constant `b` is packed once, when the session is made. */
export function matMulTransposed(graph: GraphBuilder, a: Value, b: Value, scale = 1): Value {
  return graph.op('FusedMatMul', [a, b], { transB: 1, alpha: { float: scale } });
}
