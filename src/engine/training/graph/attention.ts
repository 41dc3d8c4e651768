import { matMulTransposed } from '../../graphs/linear.ts';
import type { GraphBuilder, Value } from '../../graphs/onnx/builder.ts';
import { joinRows, type QueryBlock, splitQueries, sumOfPrefixes } from './attention-blocks.ts';
import { waitFor } from './barrier.ts';
import { type LayerContext, weightOf } from './context.ts';
import { rmsNorm, rmsNormBackward, rmsNormSteps } from './norm.ts';

/** The outputs of the linear layers, `[T, heads · head dim]` each. Keys and values have their own number of heads. */
export type QueriesKeysValues = { queries: Value; keys: Value; values: Value };

/** The operands of the products. Keys and values are `[B, kv heads, N, head dim]`. */
type Heads = { queries: QueryBlock[]; keys: Value; values: Value };

/** What the backward pass needs. It recomputes the attention weights. */
export type AttentionSaved = { projected: QueriesKeysValues; heads: Heads };

type Part = 'queries' | 'keys';
const norms = { queries: 'queryNorm', keys: 'keyNorm' } as const;

/** Attention of each token to the tokens that the mask allows. @returns `[T, heads · head dim]` */
export function attention(
  graph: GraphBuilder,
  context: LayerContext,
  projected: QueriesKeysValues,
): { output: Value; saved: AttentionSaved } {
  const queries = splitHeads(graph, context, prepare(graph, context, projected, 'queries'), true);
  const heads = {
    queries: splitQueries(graph, context, queries),
    keys: splitHeads(graph, context, prepare(graph, context, projected, 'keys'), false),
    values: splitHeads(graph, context, inRows(graph, context, projected.values), false),
  };
  const mixed = heads.queries.map((block) => {
    const shares = sharesOf(graph, context, block, block.prefixOf(graph, heads.keys));
    return graph.op('MatMul', [shares, block.prefixOf(graph, heads.values)]);
  });
  return { output: joinQueryHeads(graph, context, mixed), saved: { projected, heads } };
}

/**
 * With the attention weights P, the gradient of the scores is `P ∘ (dP - rowsum(gradient ∘ output))`.
 * @param output the output of the forward pass, `[T, heads · head dim]`, like its gradient
 * @returns the gradients of the linear layers' outputs
 */
export function attentionBackward(
  graph: GraphBuilder,
  context: LayerContext,
  { projected, heads }: AttentionSaved,
  output: Value,
  gradient: Value,
): QueriesKeysValues {
  const mixed = splitQueries(graph, context, splitHeads(graph, context, inRows(graph, context, gradient), true));
  const sums = splitQueries(graph, context, rowSums(graph, context, graph.op('Mul', [output, gradient])));
  const blocks = heads.queries.map((block, i) =>
    blockBackward(graph, context, heads, block, mixed[i]!.rows, sums[i]!.rows, gradient),
  );
  const queries = joinQueryHeads(
    graph,
    context,
    blocks.map((block) => block.queries),
  );
  const keys = sumOfPrefixes(
    graph,
    context,
    blocks.map((block) => block.keys),
  );
  const values = sumOfPrefixes(
    graph,
    context,
    blocks.map((block) => block.values),
  );
  return {
    queries: prepareBackward(graph, context, projected, 'queries', queries),
    keys: prepareBackward(graph, context, projected, 'keys', joinHeads(graph, context, keys, false)),
    values: joinHeads(graph, context, values, false),
  };
}

/** @param gradient the gradient of all queries' outputs, which this waits for */
function blockBackward(
  graph: GraphBuilder,
  context: LayerContext,
  { keys, values }: Heads,
  block: QueryBlock,
  mixed: Value,
  sums: Value,
  gradient: Value,
): QueriesKeysValues {
  const scale = { float: scaleOf(context) };
  const queries = waitFor(graph, block.rows, [gradient]);
  const [seenKeys, seenValues] = [block.prefixOf(graph, keys), block.prefixOf(graph, values)];
  const shares = sharesOf(graph, context, { ...block, rows: queries }, seenKeys);
  const byShares = matMulTransposed(graph, mixed, seenValues);
  const scores = graph.op('Mul', [shares, graph.op('Sub', [byShares, sums])]);
  return {
    queries: graph.op('FusedMatMul', [scores, seenKeys], { alpha: scale }),
    keys: graph.op('FusedMatMul', [scores, queries], { transA: 1, alpha: scale }),
    values: graph.op('FusedMatMul', [shares, mixed], { transA: 1 }),
  };
}

/** Norms queries or keys, if the model does so, and rotates them by their positions: `[B, N, heads · head dim]`. */
function prepare(graph: GraphBuilder, context: LayerContext, projected: QueriesKeysValues, part: Part): Value {
  const { config, inputs } = context;
  const split = inHeads(graph, context, projected[part], part === 'queries');
  const normed =
    config.queryKeyNorm === 'heads' ? rmsNorm(graph, split, weightOf(context, norms[part]), config.normEpsilon) : split;
  return rotate(graph, context, inRows(graph, context, normed), inputs.sines);
}

/** Rotates the gradient back and passes it through the norm: `[T, heads · head dim]`. */
function prepareBackward(
  graph: GraphBuilder,
  context: LayerContext,
  projected: QueriesKeysValues,
  part: Part,
  gradient: Value,
): Value {
  const { config, inputs } = context;
  const isQuery = part === 'queries';
  const turned = rotate(graph, context, inRows(graph, context, gradient), inputs.negativeSines);
  if (config.queryKeyNorm === 'none') return inTokens(graph, context, turned, isQuery);
  const weight = weightOf(context, norms[part]);
  const state = rmsNormSteps(graph, inHeads(graph, context, projected[part], isQuery), weight, config.normEpsilon);
  const through = rmsNormBackward(graph, state, weight, inHeads(graph, context, turned, isQuery));
  return inTokens(graph, context, through, isQuery);
}

/** The attention weights of a block: `[B, kv heads, group · n, seen]`. */
function sharesOf(graph: GraphBuilder, context: LayerContext, block: QueryBlock, keys: Value): Value {
  const scores = matMulTransposed(graph, block.rows, keys, scaleOf(context));
  const byHead = graph.op('Reshape', [scores, block.byHead]);
  const shares = graph.op('Softmax', [graph.op('Add', [byHead, block.mask])], { axis: -1 });
  return graph.op('Reshape', [shares, block.byGroup]);
}

function rotate(graph: GraphBuilder, { inputs }: LayerContext, x: Value, sines: Value): Value {
  return graph.op('RotaryEmbedding', [x, inputs.positions, inputs.cosines, sines]);
}

/** `[T, …]` → `[B, N, heads · head dim]` */
function inRows(graph: GraphBuilder, { inputs }: LayerContext, x: Value): Value {
  return graph.op('Reshape', [x, inputs.shapes.rows]);
}

/** `[T, …]` or `[B, N, …]` → `[B, N, heads, head dim]` */
function inHeads(graph: GraphBuilder, { inputs }: LayerContext, x: Value, isQuery: boolean): Value {
  return graph.op('Reshape', [x, isQuery ? inputs.shapes.queryHeads : inputs.shapes.keyHeads]);
}

/** `[B, N, …]` → `[T, heads · head dim]` */
function inTokens(graph: GraphBuilder, { config }: LayerContext, x: Value, isQuery: boolean): Value {
  return graph.op('Reshape', [x, graph.integers(-1, (isQuery ? config.heads : config.kvHeads) * config.headDim)]);
}

/** `[B, N, heads · head dim]` → `[B, heads, N, head dim]` */
function splitHeads(graph: GraphBuilder, context: LayerContext, x: Value, isQuery: boolean): Value {
  return graph.op('Transpose', [inHeads(graph, context, x, isQuery)], { perm: [0, 2, 1, 3] });
}

/** `[B, heads, N, head dim]` → `[T, heads · head dim]` */
function joinHeads(graph: GraphBuilder, context: LayerContext, x: Value, isQuery: boolean): Value {
  return inTokens(graph, context, graph.op('Transpose', [x], { perm: [0, 2, 1, 3] }), isQuery);
}

function joinQueryHeads(graph: GraphBuilder, context: LayerContext, blocks: Value[]): Value {
  return joinHeads(graph, context, joinRows(graph, context, blocks), true);
}

/** Sums over each head of each token: `[T, heads · head dim]` → `[B, heads, N, 1]`. */
function rowSums(graph: GraphBuilder, context: LayerContext, x: Value): Value {
  const sums = graph.op('ReduceSum', [inHeads(graph, context, x, true), graph.integers(-1)], { keepdims: 1 });
  return graph.op('Transpose', [sums], { perm: [0, 2, 1, 3] });
}

function scaleOf({ config }: LayerContext): number {
  return 1 / Math.sqrt(config.headDim);
}
