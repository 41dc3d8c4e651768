import { adapterLayout } from '../adapters/layout.ts';
import type { ModelConfig } from '../models/config.ts';
import type { WeightPlace } from '../models/weight-layout.ts';
import { adaptedLinear, adapterInputs } from './adapters.ts';
import { attention, type LayerContext } from './attention.ts';
import { attentionInputs } from './attention-inputs.ts';
import { mixtureOfExperts } from './experts.ts';
import { gatedFeedForward } from './feed-forward.ts';
import { type Arithmetic, quantisedRun } from './grouped-linear.ts';
import { writeHead } from './head.ts';
import { addAndNorm, rmsNorm } from './norm.ts';
import { GraphBuilder, type Value } from './onnx/builder.ts';
import type { OnnxGraph } from './onnx/encode.ts';

/**
 * The graph of one run. From N new tokens of each of B sequences it computes new rows for their caches and, if requested,
 * logits. Caches are only inputs: the caller appends the new rows.
 */
export function decoderGraph(
  config: ModelConfig,
  places: ReadonlyMap<string, WeightPlace>,
  arithmetic: Arithmetic,
): OnnxGraph {
  const graph = new GraphBuilder('decoder', places);
  const embedded = graph.input('embedded', 'float32', ['B', 'N', config.hiddenSize]);
  const { hidden, newRows } = layers(graph, config, embedded, arithmetic);
  const rowsShape = ['2 · layers · B', config.kvHeads, 'N', config.headDim];
  graph.output('newRows', graph.op('Concat', newRows, { axis: 0 }), 'float32', rowsShape);
  writeHead(graph, config, hidden, arithmetic);
  return graph.graph();
}

/** @returns the residual stream after the last layer, and each layer's new keys and values. */
function layers(
  graph: GraphBuilder,
  config: ModelConfig,
  embedded: Value,
  arithmetic: Arithmetic,
): { hidden: Value; newRows: Value[] } {
  const { kvHeads, headDim, normEpsilon, embeddingScale } = config;
  const inputs = attentionInputs(graph, config);
  const adapters = adapterInputs(graph, adapterLayout(config));
  const quantised = quantisedRun(graph, inputs.positions, arithmetic);
  const newRows: Value[] = [];
  const normsBefore = config.norms !== 'after';
  const normsAfter = config.norms !== 'before';
  const first = embeddingScale === 1 ? embedded : graph.op('Mul', [embedded, graph.float(embeddingScale)]);
  let stream: Stream = { residual: first, normed: first };
  if (normsBefore) stream.normed = rmsNorm(graph, first, 'layers.0.attentionNorm', normEpsilon);
  for (const [i, layer] of config.layers.entries()) {
    const prefix = `layers.${i}`;
    const cacheShape = ['B', kvHeads, 'T', headDim];
    const cache = {
      keys: graph.input(`keys.${i}`, 'float32', cacheShape),
      values: graph.input(`values.${i}`, 'float32', cacheShape),
    };
    const context = { config, layer, prefix, inputs, adapters, quantised };
    const { attended, keys, values } = attention(graph, context, stream.normed, cache);
    newRows.push(keys, values);
    const isLast = i === config.layers.length - 1;
    const middle = linearToStream(graph, context, 'attentionOut', attended, {
      before: stream.residual,
      after: normsAfter ? `${prefix}.attentionPostNorm` : null,
      next: normsBefore ? `${prefix}.feedForwardNorm` : null,
    });
    stream = feedForward(graph, context, middle.normed, {
      before: middle.residual,
      after: normsAfter ? `${prefix}.feedForwardPostNorm` : null,
      // After the last layer, only rows that need logits are normed.
      next: normsBefore && !isLast ? `layers.${i + 1}.attentionNorm` : null,
    });
  }
  return { hidden: stream.residual, newRows };
}

/** The residual stream, and its norm, which the next part of the model reads. */
type Stream = { residual: Value; normed: Value };

/** The stream before a part. `after` norms the output of the part, `next` the stream for the next part. */
type Joint = { before: Value; after: string | null; next: string | null };

function feedForward(graph: GraphBuilder, context: LayerContext, x: Value, joint: Joint): Stream {
  if (!context.layer.hasExperts) {
    return linearToStream(graph, context, 'down', gatedFeedForward(graph, context, x), joint);
  }
  return streamOf(addToStream(graph, context, mixtureOfExperts(graph, context, x), joint));
}

/** Adds the linear layer `name` of `x` to the residual stream, and norms it for the next part. */
function linearToStream(graph: GraphBuilder, context: LayerContext, name: string, x: Value, joint: Joint): Stream {
  const shape = ['B', 'N', context.config.hiddenSize];
  const shapes = joint.next === null ? [shape] : [shape, shape];
  const next = (branch: GraphBuilder, [output]: Value[]) => addToStream(branch, context, output!, joint);
  return streamOf(adaptedLinear(graph, context, name, x, { shapes, next }));
}

function addToStream(graph: GraphBuilder, { config }: LayerContext, output: Value, joint: Joint): Value[] {
  const { before, after, next } = joint;
  const added = after === null ? output : rmsNorm(graph, output, after, config.normEpsilon);
  if (next === null) return [graph.op('Add', [before, added])];
  const { residual, normed } = addAndNorm(graph, before, added, next, config.normEpsilon);
  return [residual, normed];
}

function streamOf([residual, normed]: Value[]): Stream {
  return { residual: residual!, normed: normed ?? residual! };
}
