import type { GraphBuilder, Value } from '../../graphs/onnx/builder.ts';
import type { ModelConfig } from '../../models/config.ts';
import type { LayerContext } from './context.ts';

/**
 * Tokens do not attend to later ones, so half of all scores are unused. Queries are split into blocks, each of which is
 * computed with the keys up to its own end. With four blocks, five eighths of the scores are computed.
 */
const blockCount = 4;

/** In shorter lines, blocks would be too small for fast products: all queries are in the last block, and the others are empty. */
const lengthMin = 128;

/** Consecutive queries of all lines. */
export type QueryBlock = {
  /** `[B, kv heads, group · n, …]`: query heads that share keys are rows of one product. */
  rows: Value;
  byHead: Value;
  byGroup: Value;
  /** `[B, 1, n, seen]` */
  mask: Value;
  /** The first rows of `[B, kv heads, N, head dim]`, up to the end of the block. */
  prefixOf(graph: GraphBuilder, x: Value): Value;
};

/** The inputs of blocks that all layers share. */
export type Blocks = {
  /** The number of queries of each block. */
  sizes: Value;
  /** The end of the keys that each block attends to, one element each. */
  ends: Value[];
  /** The shapes `[B, heads, n, …]` and `[B, kv heads, group · n, …]` of each block, for reshapes that keep the rest. */
  byHead: Value[];
  byGroup: Value[];
  /** The padding, for `Pad`, that extends the prefix of each block to a whole line. */
  paddings: Value[];
  masks: Value[];
  windowMasks: Value[] | null;
};

/** The sizes of blocks, and the end of the keys that each attends to. */
export function blockSizes(length: number): { sizes: number[]; ends: number[] } {
  const size = length < lengthMin ? 0 : Math.floor(length / blockCount);
  const sizes = Array.from({ length: blockCount }, (_, i) =>
    i < blockCount - 1 ? size : length - size * (blockCount - 1),
  );
  // An empty block attends to no keys, because products without queries would be undefined instead of 0.
  const ends = sizes.map((own, i) => (own === 0 ? 0 : sizes.slice(0, i + 1).reduce((sum, each) => sum + each, 0)));
  return { sizes, ends };
}

/** @param mask `[B, 1, N, N]`, like the other mask */
export function blocksOf(
  graph: GraphBuilder,
  { heads, kvHeads }: ModelConfig,
  { tokens, mask, windowMask }: { tokens: Value; mask: Value; windowMask: Value | null },
): Blocks {
  const sizes = graph.input('blockSizes', 'int64', [blockCount]);
  const each = (values: Value) => graph.ops('Split', [values], { axis: 0, num_outputs: blockCount }, blockCount);
  const ends = each(graph.input('blockEnds', 'int64', [blockCount]));
  const shapes = (rows: number, ofGroup: number) =>
    each(graph.op('Mul', [sizes, graph.integers(ofGroup)])).map((size) =>
      graph.op('Concat', [graph.integers(0, rows), size, graph.integers(0)], { axis: 0 }),
    );
  const zeros = (count: number) => graph.integers(...new Array<number>(count).fill(0));
  const cut = (whole: Value) => {
    const rows = graph.ops('Split', [whole, sizes], { axis: 2 }, blockCount);
    return rows.map((each, i) => graph.op('Slice', [each, graph.integers(0), ends[i]!, graph.integers(3)]));
  };
  return {
    sizes,
    ends,
    byHead: shapes(heads, 1),
    byGroup: shapes(kvHeads, heads / kvHeads),
    paddings: ends.map((end) =>
      graph.op('Concat', [zeros(6), graph.op('Sub', [tokens, end]), graph.integers(0)], { axis: 0 }),
    ),
    masks: cut(mask),
    windowMasks: windowMask === null ? null : cut(windowMask),
  };
}

/** @param x `[B, heads, N, …]` */
export function splitQueries(graph: GraphBuilder, { inputs, window }: LayerContext, x: Value): QueryBlock[] {
  const { sizes, ends, byHead, byGroup, masks, windowMasks } = inputs.blocks;
  return graph.ops('Split', [x, sizes], { axis: 2 }, blockCount).map((block, i) => ({
    rows: graph.op('Reshape', [block, byGroup[i]!]),
    byHead: byHead[i]!,
    byGroup: byGroup[i]!,
    mask: (window === null ? masks : windowMasks!)[i]!,
    prefixOf: (to, whole) => to.op('Slice', [whole, to.integers(0), ends[i]!, to.integers(2)]),
  }));
}

/** The inverse of `splitQueries`, for the results of all blocks: `[B, heads, N, …]`. */
export function joinRows(graph: GraphBuilder, { inputs }: LayerContext, blocks: Value[]): Value {
  const { byHead } = inputs.blocks;
  const rows = blocks.map((block, i) => graph.op('Reshape', [block, byHead[i]!]));
  return graph.op('Concat', rows, { axis: 2 });
}

/** The sum over blocks of the values for their keys: `[B, kv heads, N, head dim]`. */
export function sumOfPrefixes(graph: GraphBuilder, { inputs }: LayerContext, prefixes: Value[]): Value {
  return prefixes
    .map((prefix, i) => graph.op('Pad', [prefix, inputs.blocks.paddings[i]!]))
    .reduce((sum, each) => graph.op('Add', [sum, each]));
}
