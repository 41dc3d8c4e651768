import type { LayerConfig, ModelConfig } from '../models/config.ts';
import { type AdapterInputs, adaptedLinear, splitAt } from './adapters.ts';
import type { AttentionInputs } from './attention-inputs.ts';
import type { QuantisedRun } from './grouped-linear.ts';
import { matMulTransposed } from './linear.ts';
import { capped, rmsNorm } from './norm.ts';
import type { GraphBuilder, Value } from './onnx/builder.ts';

/** Both `[B, kv heads, T, head dim]`. */
export type LayerCache = { keys: Value; values: Value };

/** `attended` is `[B, N, heads · head dim]`; the new rows of the cache are `[B, kv heads, N, head dim]`. */
export type AttentionOutputs = { attended: Value; keys: Value; values: Value };

/** One layer: its weights, and the inputs that all layers share. */
export type LayerContext = {
  config: ModelConfig;
  layer: LayerConfig;
  prefix: string;
  inputs: AttentionInputs;
  adapters: AdapterInputs;
  quantised: QuantisedRun;
};

/**
 * Many new tokens of one sequence use an operator of ONNX Runtime that skips what a token does not attend to. It copies the
 * whole cache, which is too slow for a single token of each sequence: these are computed in two parts. So are layers with a
 * window, which the operator does not support.
 */
export function attention(graph: GraphBuilder, context: LayerContext, x: Value, cache: LayerCache): AttentionOutputs {
  const { config, layer, prefix, inputs } = context;
  const { kvHeads, headDim } = config;
  const { queries, keys, values } = queriesKeysValues(graph, context, x);
  const rows = { keys: splitHeads(graph, keys, kvHeads, headDim), values: splitHeads(graph, values, kvHeads, headDim) };
  const branch = (name: string, attend: (branch: GraphBuilder) => Value) => {
    const made = graph.branch(name);
    made.output(`${prefix}.${name}`, attend(made), 'float32', ['B', 'N', config.heads * headDim]);
    return { graph: made.graph() };
  };
  const branches = {
    then_branch: branch('attendedByMany', (made) =>
      layer.window === null
        ? attendAtOnce(made, context, { queries, keys, values }, cache)
        : attendInParts(made, context, queries, { rows, cache, together: 'group' }),
    ),
    else_branch: branch('attendedByOne', (made) =>
      attendInParts(made, context, queries, { rows, cache, together: 'none' }),
    ),
  };
  const [attended] = graph.ops('If', [inputs.prefills], branches, 1);
  return { attended: attended!, ...rows };
}

/** @returns `[B, N, heads · head dim]` */
function attendAtOnce(
  graph: GraphBuilder,
  { config, inputs }: LayerContext,
  { queries, keys, values }: LayerCache & { queries: Value },
  cache: LayerCache,
): Value {
  const { heads, kvHeads } = config;
  const attributes = {
    num_heads: heads,
    kv_num_heads: kvHeads,
    scale: { float: scaleOf(config) },
    softcap: { float: config.attentionCap ?? 0 },
  };
  const operands = [queries, keys, values, cache.keys, cache.values, inputs.lastPlaces, inputs.seenMax];
  return graph.ops('GroupQueryAttention', operands, attributes, 3)[0]!;
}

/**
 * The new rows of the cache, the rows before them, and the queries of one product: those of all heads that share keys, or
 * each alone. A product with one row does not pack the cache, which would take longer than the product itself.
 */
type Parts = { rows: LayerCache; cache: LayerCache; together: 'group' | 'none' };

/**
 * Attends to the cache and to the new tokens separately, so that they need not be concatenated.
 * @returns `[B, N, heads · head dim]`
 */
function attendInParts(
  graph: GraphBuilder,
  context: LayerContext,
  tokenQueries: Value,
  { rows, cache, together }: Parts,
): Value {
  const { config, inputs } = context;
  const { heads, kvHeads, headDim } = config;
  const sharedByGroup = (x: Value) => (together === 'none' ? graph.op('Unsqueeze', [x, graph.integers(2)]) : x);
  const groupShape = together === 'none' ? [0, kvHeads, -1, 1, headDim] : [0, kvHeads, -1, headDim];
  // Scaled here, because a product with a scale packs the cache.
  const byHead = graph.op('Mul', [splitHeads(graph, tokenQueries, heads, headDim), graph.float(scaleOf(config))]);
  const queries = graph.op('Reshape', [byHead, graph.integers(...groupShape)]);
  const scoresOfCache = matMulTransposed(graph, queries, sharedByGroup(cache.keys));
  const scoresOfNew = matMulTransposed(graph, queries, sharedByGroup(rows.keys));
  const scores = capped(graph, graph.op('Concat', [scoresOfCache, scoresOfNew], { axis: -1 }), config.attentionCap);
  const shares = softmaxOfSeen(graph, context, scores);
  const [sharesOfCache, sharesOfNew] = graph.ops('Split', [shares, inputs.parts], { axis: -1 }, 2);
  const mixedCache = graph.op('MatMul', [sharesOfCache!, sharedByGroup(cache.values)]);
  const mixedNew = graph.op('MatMul', [sharesOfNew!, sharedByGroup(rows.values)]);
  return joinHeads(graph, context, graph.op('Add', [mixedCache, mixedNew]));
}

/** Each is `[B, N, heads · head dim]`. */
function queriesKeysValues(
  graph: GraphBuilder,
  context: LayerContext,
  x: Value,
): { queries: Value; keys: Value; values: Value } {
  const { heads, kvHeads, headDim } = context.config;
  const sizes = [heads, kvHeads, kvHeads].map((count) => count * headDim);
  const shapes = sizes.map((size) => ['B', 'N', size]);
  const next = (branch: GraphBuilder, parts: Value[]) => splitAt(branch, parts, sizes);
  const [queries, keys, values] = adaptedLinear(graph, context, 'qkv', x, { shapes, next });
  return {
    queries: rotate(graph, context, normQueriesOrKeys(graph, context, queries!, heads, 'queryNorm'), heads),
    keys: rotate(graph, context, normQueriesOrKeys(graph, context, keys!, kvHeads, 'keyNorm'), kvHeads),
    values: values!,
  };
}

/** Norms each head separately or all as one vector, depending on the model. */
function normQueriesOrKeys(
  graph: GraphBuilder,
  { config, prefix }: LayerContext,
  x: Value,
  heads: number,
  norm: string,
): Value {
  if (config.queryKeyNorm === 'none') return x;
  if (config.queryKeyNorm === 'whole') return rmsNorm(graph, x, `${prefix}.${norm}`, config.normEpsilon);
  const split = graph.op('Reshape', [x, graph.integers(0, 0, heads, config.headDim)]);
  const normed = rmsNorm(graph, split, `${prefix}.${norm}`, config.normEpsilon);
  return graph.op('Reshape', [normed, graph.integers(0, 0, heads * config.headDim)]);
}

/** `[B, N, heads · head dim]` → `[B, heads, N, head dim]` */
function splitHeads(graph: GraphBuilder, x: Value, heads: number, headDim: number): Value {
  const split = graph.op('Reshape', [x, graph.integers(0, 0, heads, headDim)]);
  return graph.op('Transpose', [split], { perm: [0, 2, 1, 3] });
}

/** Rotates pairs of dimensions of each head, such as `i` and `i + head dim / 2`, by an angle that grows with the position. */
function rotate(graph: GraphBuilder, { config, layer, inputs }: LayerContext, x: Value, heads: number): Value {
  if (layer.rotary === 'none') return x;
  const { cosines, sines } = inputs.rotary[layer.rotary]!;
  const rotated = 2 * config.rotary.inverseFrequencies.length;
  const inPart: Record<string, number> =
    rotated === config.headDim ? {} : { num_heads: heads, rotary_embedding_dim: rotated };
  return graph.op('RotaryEmbedding', [x, inputs.positions, cosines, sines], inPart);
}

function scaleOf({ attentionScale, headDim }: ModelConfig): number {
  return attentionScale ?? 1 / Math.sqrt(headDim);
}

/** `[B, kv heads, group · N, T + N]`, or with a dimension for each query of a group → the same shape. */
function softmaxOfSeen(graph: GraphBuilder, { layer, inputs }: LayerContext, scores: Value): Value {
  const mask = layer.window === null ? inputs.mask : inputs.windowMask!;
  const masked = graph.op('Add', [graph.op('Reshape', [scores, inputs.scoresByHead]), mask]);
  return graph.op('Reshape', [graph.op('Softmax', [masked], { axis: -1 }), graph.op('Shape', [scores])]);
}

/** `[B, kv heads, group · N, head dim]`, or with a dimension for each query of a group → `[B, N, heads · head dim]` */
function joinHeads(graph: GraphBuilder, { config, inputs }: LayerContext, x: Value): Value {
  const byHead = graph.op('Reshape', [x, inputs.outputsByHead]);
  const byToken = graph.op('Transpose', [byHead], { perm: [0, 2, 1, 3] });
  return graph.op('Reshape', [byToken, graph.integers(0, 0, config.heads * config.headDim)]);
}
