import { groupedProduct, type QuantisedRun } from './grouped-linear.ts';
import type { GraphBuilder, Value } from './onnx/builder.ts';

/** `x · weightᵀ + bias` for `x` `[B, N, in]`. All linear layers of a model use it. */
export function linear(graph: GraphBuilder, x: Value, name: string, run: QuantisedRun): Value {
  const grouped = graph.groupedWeight(name);
  const product =
    grouped === null ? matMulTransposed(graph, x, graph.weight(name)) : groupedProduct(graph, x, grouped, run);
  return graph.hasWeight(`${name}.bias`) ? graph.op('Add', [product, graph.weight(`${name}.bias`)]) : product;
}

/** `a · bᵀ`. A constant `b` is packed once, when the session is created. */
export function matMulTransposed(graph: GraphBuilder, a: Value, b: Value, scale = 1): Value {
  return graph.op('FusedMatMul', [a, b], { transB: 1, alpha: { float: scale } });
}
