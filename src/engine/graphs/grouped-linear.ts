import type { GraphBuilder, GroupedWeight, Value } from './onnx/builder.ts';

/**
 * How products with quantised weights are computed. `exact`: as accurately as with widened weights. `fast`: with activations
 * in 8 bits, which changes results. `widened`: weights are widened to f32 when the model is opened.
 */
export type Arithmetic = 'exact' | 'fast' | 'widened';

/** How a run multiplies with quantised weights. `isShort`: whether it has few rows. */
export type QuantisedRun = { arithmetic: Arithmetic; isShort: Value };

/** The number of parts of 8 bits that activations are split into. */
const partCount = 3;

/**
 * Up to this number of rows, products of all parts in int8 are faster than widening codes of 8 bits to f32, which takes as
 * long as multiplying 80 rows. Codes of 4 bits are widened in the time of 10 rows, and a single row does not need it.
 */
const shortRowsMax = 32;

/** The number of the type in ONNX. */
const int8 = 3;
const accuracy = { f32: 1, int8: 4 };

/** @param rows a tensor with an element for each row of the run */
export function quantisedRun(graph: GraphBuilder, rows: Value, arithmetic: Arithmetic): QuantisedRun {
  const count = graph.op('Size', [rows]);
  const hasRows = graph.op('Less', [graph.integers(0), count]); // `Split` rejects an empty input
  const isShort = graph.op('And', [hasRows, graph.op('Less', [count, graph.integers(shortRowsMax + 1)])]);
  return { arithmetic, isShort };
}

/** `x · weightᵀ` of `x` `[B, N, in]`. */
export function groupedProduct(
  graph: GraphBuilder,
  x: Value,
  weight: GroupedWeight,
  { arithmetic, isShort }: QuantisedRun,
): Value {
  const minima = minimaProduct(graph, x, weight);
  const sum = (made: GraphBuilder, ...products: Value[]) =>
    minima === null && products.length === 1 ? products[0]! : made.op('Sum', minima ? [...products, minima] : products);
  if (arithmetic === 'fast') return sum(graph, codesProduct(graph, x, weight, accuracy.int8));
  if (weight.format.bits === 4) return sum(graph, codesProduct(graph, x, weight, accuracy.f32));
  const branch = (name: string, productOf: (made: GraphBuilder) => Value) => {
    const made = graph.branch(name);
    made.output(`${made.name}/product`, productOf(made), 'float32', ['B', 'N', weight.shape[0]!]);
    return { graph: made.graph() };
  };
  const branches = {
    then_branch: branch('inParts', (made) => sum(made, ...productsOfParts(made, x, weight))),
    else_branch: branch('widened', (made) => sum(made, codesProduct(made, x, weight, accuracy.f32))),
  };
  return graph.ops('If', [isShort], branches, 1)[0]!;
}

/**
 * ONNX Runtime rounds activations to 8 bits, relative to the largest of each group. The remainder is rounded the same way,
 * and so is its remainder. The sum of the three parts is as accurate as f32, and one product computes all of them. With two
 * parts, one greedy token in 4,000 would change.
 */
function productsOfParts(graph: GraphBuilder, x: Value, weight: GroupedWeight): Value[] {
  const { groupSize } = weight.format;
  const pool = { kernel_shape: [groupSize], strides: [groupSize] };
  const byGroup = { axis: 2, block_size: groupSize };
  const parts: Value[] = [];
  let rest = x;
  while (parts.length < partCount - 1) {
    const largest = graph.op('MaxPool', [graph.op('Abs', [rest])], pool);
    const steps = graph.op('Mul', [largest, graph.float(1 / 127)]);
    const codes = graph.op('QuantizeLinear', [rest, steps], { ...byGroup, output_dtype: int8 });
    const rounded = graph.op('DequantizeLinear', [codes, steps], byGroup);
    parts.push(rounded);
    rest = graph.op('Sub', [rest, rounded]);
  }
  const products = codesProduct(graph, graph.op('Concat', [...parts, rest], { axis: 0 }), weight, accuracy.int8);
  return graph.ops('Split', [products], { axis: 0, num_outputs: partCount }, partCount);
}

function codesProduct(
  graph: GraphBuilder,
  x: Value,
  { shape, format, codes, scales }: GroupedWeight,
  level: number,
): Value {
  const [outSize, inSize] = shape as [number, number];
  const attributes = { K: inSize, N: outSize, bits: format.bits, block_size: format.groupSize, accuracy_level: level };
  return graph.op('MatMulNBits', [x, codes, scales], attributes);
}

/** The contribution of the minima: each is multiplied by the sum of its group's activations. */
function minimaProduct(graph: GraphBuilder, x: Value, { format: { groupSize }, minima }: GroupedWeight): Value | null {
  if (minima === null) return null;
  const means = graph.op('AveragePool', [x], { kernel_shape: [groupSize], strides: [groupSize] });
  return graph.op('FusedMatMul', [means, minima], { transB: 1, alpha: { float: groupSize } });
}
