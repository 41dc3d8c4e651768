import type { AdaptedLinear, AdapterLayout } from '../adapters/layout.ts';
import type { QuantisedRun } from './grouped-linear.ts';
import { linear } from './linear.ts';
import type { GraphBuilder, Value } from './onnx/builder.ts';

/** The LoRA weights of a run. R is the sum of the ranks of its adapters. */
export type AdapterInputs = {
  layout: AdapterLayout;
  /** Whether any sequence uses an adapter. */
  used: Value;
  /** `[B, 1, R]`: 1 if the rank belongs to the adapter of the sequence, otherwise 0. */
  own: Value;
};

/** One layer, and the inputs that all layers share. */
type LayerContext = { prefix: string; adapters: AdapterInputs; quantised: QuantisedRun };

/** What follows a linear layer. `next` takes its parts, each `[B, N, out]`, and returns values of `shapes`. */
type Following = { shapes: (string | number)[][]; next: (graph: GraphBuilder, parts: Value[]) => Value[] };

export function adapterInputs(graph: GraphBuilder, layout: AdapterLayout): AdapterInputs {
  for (let layer = 0; layer < layout.layers; layer++) {
    graph.input(weightsName(`layers.${layer}`), 'float32', ['R', layout.width]);
  }
  return {
    layout,
    used: graph.input('usesAdapters', 'bool', []),
    own: graph.input('adapterRanks', 'float32', ['B', 1, 'R']),
  };
}

/**
 * A linear layer with the changes of adapters, and what follows it. What follows is part of both branches: a branch that
 * only returned the output would copy it, even if no adapter is used.
 */
export function adaptedLinear(
  graph: GraphBuilder,
  context: LayerContext,
  name: string,
  x: Value,
  { shapes, next }: Following,
): Value[] {
  const { used, layout } = context.adapters;
  const layer = layout.linear.get(name);
  const output = linear(graph, x, `${context.prefix}.${name}`, context.quantised);
  if (layer === undefined) return next(graph, [output]); // adapters do not change it
  const branch = (branchName: string, partsOf: (branch: GraphBuilder) => Value[]) => {
    const made = graph.branch(branchName);
    const stem = `${context.prefix}.${name}.${branchName}`;
    for (const [i, value] of next(made, partsOf(made)).entries()) {
      made.output(`${stem}.${i}`, value, 'float32', shapes[i]!);
    }
    return { graph: made.graph() };
  };
  const plain = (made: GraphBuilder) => splitParts(made, layer.parts, output);
  const branches = {
    then_branch: branch('adapted', (made) => adaptedParts(made, context, layer, x, plain(made))),
    else_branch: branch('plain', plain),
  };
  return graph.ops('If', [used], branches, shapes.length);
}

/** The name of the input with the matrix of a layer, see `AdapterLayout`. */
export function weightsName(prefix: string): Value {
  return `${prefix}.adapterWeights`;
}

function splitParts(graph: GraphBuilder, parts: AdaptedLinear['parts'], output: Value): Value[] {
  return splitAt(
    graph,
    [output],
    parts.map(({ outSize }) => outSize),
  );
}

/** Splits the parts into these sizes if the model has them as one. */
export function splitAt(graph: GraphBuilder, parts: Value[], sizes: number[]): Value[] {
  if (parts.length === sizes.length) return parts;
  return graph.ops('Split', [parts[0]!, graph.integers(...sizes)], { axis: -1 }, sizes.length);
}

/** `output + ((x · aᵀ) ∘ own) · b`, with the ranks of all adapters side by side. */
function adaptedParts(
  graph: GraphBuilder,
  { prefix, adapters: { own } }: LayerContext,
  { a, inSize, parts }: AdaptedLinear,
  x: Value,
  outputs: Value[],
): Value[] {
  const columns = (start: number, size: number) =>
    graph.op('Slice', [weightsName(prefix), graph.integers(start), graph.integers(start + size), graph.integers(1)]);
  const low = lowRankParts(graph, x, columns(a, parts.length * inSize), inSize, parts.length);
  return parts.map(({ b, outSize }, i) => {
    const change = graph.op('MatMul', [graph.op('Mul', [low[i]!, own]), columns(b, outSize)]);
    return graph.op('Add', [outputs[i]!, change]);
  });
}

/** `x · aᵀ` of each part, `[B, N, R]`, in one product. */
function lowRankParts(graph: GraphBuilder, x: Value, a: Value, inSize: number, parts: number): Value[] {
  if (parts === 1) return [graph.op('FusedMatMul', [x, a], { transB: 1 })];
  const rows = graph.op('Reshape', [a, graph.integers(-1, inSize)]);
  const product = graph.op('FusedMatMul', [x, rows], { transB: 1 });
  const byRank = graph.op('Reshape', [product, graph.integers(0, 0, -1, parts)]);
  const split = graph.ops('Split', [byRank], { axis: -1, num_outputs: parts }, parts);
  return split.map((part) => graph.op('Reshape', [part, graph.integers(0, 0, -1)]));
}
