import type { ModelConfig, RotaryConfig } from '../models/config.ts';
import type { GraphBuilder, Value } from './onnx/builder.ts';

/** The attention inputs that all layers of a run share: B sequences of N new tokens each, over T rows of their caches. */
export type AttentionInputs = {
  /** `[B, N]`, from the start of each sequence. */
  positions: Value;
  /** Null if no layer uses it. */
  rotary: Record<'global' | 'local', Angles | null>;
  /** `[B, 1, N, T + N]`, added to the scores: 0 for tokens that are attended to, a large negative number for others. */
  mask: Value;
  /** The same for layers with a window; null if there are none. */
  windowMask: Value | null;
  /** The shape `[0, heads, N, T + N]`, for reshapes that keep B. */
  scoresByHead: Value;
  /** The shape `[0, heads, N, head dim]`. */
  outputsByHead: Value;
  /** T and N. */
  parts: Value;
  /** Whether the run has many tokens of one sequence, after those in its cache. */
  prefills: Value;
  /** For a prefill, `[B]`: the position of the last new token. */
  lastPlaces: Value;
  /** For a prefill: how many tokens the last one attends to. */
  seenMax: Value;
};

/** `[positions, pairs of dimensions]` */
type Angles = { cosines: Value; sines: Value };

export function attentionInputs(graph: GraphBuilder, config: ModelConfig): AttentionInputs {
  const maskShape = ['B', 1, 'N', 'T + N'];
  const mask = graph.input('mask', 'float32', maskShape);
  const slides = config.layers.some(({ window }) => window !== null);
  const newTokens = graph.op('Shape', [mask], { start: 2, end: 3 });
  const seenTokens = graph.op('Shape', [mask], { start: 3, end: 4 });
  const byHead = (width: Value) => graph.op('Concat', [graph.integers(0, config.heads), newTokens, width], { axis: 0 });
  return {
    positions: graph.input('positions', 'int64', ['B', 'N']),
    rotary: {
      global: angleInputs(graph, '', config.rotary),
      local: config.localRotary === null ? null : angleInputs(graph, 'local.', config.localRotary),
    },
    mask,
    windowMask: slides ? graph.input('windowMask', 'float32', maskShape) : null,
    scoresByHead: byHead(seenTokens),
    outputsByHead: byHead(graph.integers(config.headDim)),
    parts: graph.op('Concat', [graph.op('Sub', [seenTokens, newTokens]), newTokens], { axis: 0 }),
    prefills: graph.input('prefills', 'bool', []),
    lastPlaces: graph.input('lastPlaces', 'int32', ['B']),
    seenMax: graph.input('seenMax', 'int32', []),
  };
}

function angleInputs(graph: GraphBuilder, prefix: string, { inverseFrequencies }: RotaryConfig): Angles {
  const shape = ['known positions', inverseFrequencies.length];
  return {
    cosines: graph.input(`${prefix}cosines`, 'float32', shape),
    sines: graph.input(`${prefix}sines`, 'float32', shape),
  };
}
