import type { LayerConfig, ModelConfig } from '../models/config.ts';
import type { AttentionInputs } from './attention-inputs.ts';
import { linear, matMulTransposed } from './linear.ts';
import { rmsNorm } from './norm.ts';
import type { GraphBuilder, Value } from './onnx/builder.ts';

/** Both `[B, kv heads, T, head dim]`. */
export type LayerCache = { keys: Value; values: Value };

/** The output is `[B, N, hidden]`; the new rows of the cache are `[B, kv heads, N, head dim]`. */
export type AttentionOutputs = { output: Value; keys: Value; values: Value };

/** One layer's part of a graph: its place among the weights, and what it shares with the others. */
export type LayerContext = { config: ModelConfig; layer: LayerConfig; prefix: string; inputs: AttentionInputs };

/**
 * Grouped attention in two parts, over the cache and over the new tokens, so that neither is copied behind the other.
 * The query heads of a group are rows of one matrix product with the keys they share.
 */
export function attention(graph: GraphBuilder, context: LayerContext, x: Value, cache: LayerCache): AttentionOutputs {
  const { config, prefix, inputs } = context;
  const { queries, keys, values } = queriesKeysValues(graph, context, x);
  const scale = 1 / Math.sqrt(config.headDim);
  const scoresOfCache = matMulTransposed(graph, queries, cache.keys, scale);
  const scoresOfNew = matMulTransposed(graph, queries, keys, scale);
  const shares = softmaxOfSeen(graph, context, graph.op('Concat', [scoresOfCache, scoresOfNew], { axis: -1 }));
  const [sharesOfCache, sharesOfNew] = graph.ops('Split', [shares, inputs.parts], { axis: -1 }, 2);
  const mixedCache = graph.op('MatMul', [sharesOfCache!, cache.values]);
  const mixedNew = graph.op('MatMul', [sharesOfNew!, values]);
  const joined = joinHeads(graph, context, graph.op('Add', [mixedCache, mixedNew]));
  return { output: linear(graph, joined, `${prefix}.attentionOut`), keys, values };
}

/** Queries `[B, kv heads, group · N, head dim]`, keys and values `[B, kv heads, N, head dim]`. */
function queriesKeysValues(
  graph: GraphBuilder,
  context: LayerContext,
  x: Value,
): { queries: Value; keys: Value; values: Value } {
  const { heads, kvHeads, headDim } = context.config;
  const sizes = graph.integers(heads * headDim, kvHeads * headDim, kvHeads * headDim);
  const qkv = linear(graph, x, `${context.prefix}.qkv`);
  const [queries, keys, values] = graph.ops('Split', [qkv, sizes], { axis: -1 }, 3);
  const rotated = rotate(graph, context, splitHeads(graph, context, queries!, heads, 'queryNorm'));
  return {
    queries: graph.op('Reshape', [rotated, graph.integers(0, kvHeads, -1, headDim)]),
    keys: rotate(graph, context, splitHeads(graph, context, keys!, kvHeads, 'keyNorm')),
    values: splitHeads(graph, context, values!, kvHeads, null),
  };
}

/** `[B, N, heads · head dim]` → `[B, heads, N, head dim]`, each head normed where the model wants it. */
function splitHeads(
  graph: GraphBuilder,
  { config, prefix }: LayerContext,
  x: Value,
  heads: number,
  norm: string | null,
): Value {
  const split = graph.op('Reshape', [x, graph.integers(0, 0, heads, config.headDim)]);
  const isNormed = norm !== null && config.queryKeyNorm;
  const normed = isNormed ? rmsNorm(graph, split, `${prefix}.${norm}`, config.normEpsilon) : split;
  return graph.op('Transpose', [normed], { perm: [0, 2, 1, 3] });
}

/** Turns the pair of dimensions `i` and `i + head dim / 2` of each head by an angle that grows with the position. */
function rotate(graph: GraphBuilder, { inputs }: LayerContext, x: Value): Value {
  return graph.op('RotaryEmbedding', [x, inputs.positions, inputs.cosines, inputs.sines]);
}

/** `[B, kv heads, group · N, T + N]` → the same shape. */
function softmaxOfSeen(graph: GraphBuilder, { layer, inputs }: LayerContext, scores: Value): Value {
  const mask = layer.window === null ? inputs.mask : inputs.windowMask!;
  const masked = graph.op('Add', [graph.op('Reshape', [scores, inputs.scoresByHead]), mask]);
  return graph.op('Reshape', [graph.op('Softmax', [masked], { axis: -1 }), graph.op('Shape', [scores])]);
}

/** `[B, kv heads, group · N, head dim]` → `[B, N, heads · head dim]` */
function joinHeads(graph: GraphBuilder, { config, inputs }: LayerContext, x: Value): Value {
  const byHead = graph.op('Reshape', [x, inputs.outputsByHead]);
  const byToken = graph.op('Transpose', [byHead], { perm: [0, 2, 1, 3] });
  return graph.op('Reshape', [byToken, graph.integers(0, 0, config.heads * config.headDim)]);
}
