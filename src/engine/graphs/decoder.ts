import { adapterLayout } from '../adapters/layout.ts';
import type { ModelConfig } from '../models/config.ts';
import { adaptedLinear, adapterInputs } from './adapters.ts';
import { attention, type LayerContext } from './attention.ts';
import { attentionInputs } from './attention-inputs.ts';
import { gatedFeedForward } from './feed-forward.ts';
import { writeHead } from './head.ts';
import { addAndNorm, rmsNorm } from './norm.ts';
import { GraphBuilder, type Value, type WeightPlace } from './onnx/builder.ts';
import type { OnnxGraph } from './onnx/encode.ts';

/**
 * The graph of one run: N new tokens of each of B sequences go through all layers and come out as the new rows of
 * their caches and, where asked for, as logits. The caches are inputs and never outputs: who runs the graph writes the
 * new rows into them.
 */
export function decoderGraph(config: ModelConfig, places: ReadonlyMap<string, WeightPlace>): OnnxGraph {
  const graph = new GraphBuilder('decoder', places);
  const embedded = graph.input('embedded', 'float32', ['B', 'N', config.hiddenSize]);
  const { hidden, newRows } = layers(graph, config, embedded);
  const rowsShape = ['2 · layers · B', config.kvHeads, 'N', config.headDim];
  graph.output('newRows', graph.op('Concat', newRows, { axis: 0 }), 'float32', rowsShape);
  writeHead(graph, config, hidden);
  return graph.graph();
}

/** @returns the residual stream after the last layer, and each layer's new keys and values. */
function layers(graph: GraphBuilder, config: ModelConfig, embedded: Value): { hidden: Value; newRows: Value[] } {
  const { kvHeads, headDim, normEpsilon } = config;
  const inputs = attentionInputs(graph, config);
  const adapters = adapterInputs(graph, adapterLayout(config));
  const newRows: Value[] = [];
  let residual = embedded;
  let normed = rmsNorm(graph, residual, 'layers.0.attentionNorm', normEpsilon);
  for (const [i, layer] of config.layers.entries()) {
    const prefix = `layers.${i}`;
    const cacheShape = ['B', kvHeads, 'T', headDim];
    const cache = {
      keys: graph.input(`keys.${i}`, 'float32', cacheShape),
      values: graph.input(`values.${i}`, 'float32', cacheShape),
    };
    const context = { config, layer, prefix, inputs, adapters };
    const { attended, keys, values } = attention(graph, context, normed, cache);
    newRows.push(keys, values);
    const middle = toResidual(graph, context, 'attentionOut', attended, residual, `${prefix}.feedForwardNorm`);
    const gated = gatedFeedForward(graph, context, middle.normed);
    if (i === config.layers.length - 1)
      return { hidden: lastResidual(graph, context, gated, middle.residual), newRows };
    ({ residual, normed } = toResidual(
      graph,
      context,
      'down',
      gated,
      middle.residual,
      `layers.${i + 1}.attentionNorm`,
    ));
  }
  throw new Error('a model has at least one layer');
}

/** The linear layer `name` of `x` is added to the residual stream, which is normed for the next part. */
function toResidual(
  graph: GraphBuilder,
  context: LayerContext,
  name: string,
  x: Value,
  before: Value,
  norm: string,
): { residual: Value; normed: Value } {
  const { hiddenSize, normEpsilon } = context.config;
  const next = (branch: GraphBuilder, [output]: Value[]) => {
    const { residual, normed } = addAndNorm(branch, before, output!, norm, normEpsilon);
    return [residual, normed];
  };
  const shape = ['B', 'N', hiddenSize];
  const [residual, normed] = adaptedLinear(graph, context, name, x, { shapes: [shape, shape], next });
  return { residual: residual!, normed: normed! };
}

/** The same at the end of the last layer. Only the rows that need logits are normed later. */
function lastResidual(graph: GraphBuilder, context: LayerContext, x: Value, before: Value): Value {
  const next = (branch: GraphBuilder, [output]: Value[]) => [branch.op('Add', [before, output!])];
  return adaptedLinear(graph, context, 'down', x, { shapes: [['B', 'N', context.config.hiddenSize]], next })[0]!;
}
