import type { ModelConfig } from '../models/config.ts';
import { attention } from './attention.ts';
import { attentionInputs } from './attention-inputs.ts';
import { feedForward } from './feed-forward.ts';
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
    const attended = attention(graph, { config, layer, prefix, inputs }, normed, cache);
    newRows.push(attended.keys, attended.values);
    const middle = addAndNorm(graph, residual, attended.output, `${prefix}.feedForwardNorm`, normEpsilon);
    const output = feedForward(graph, config, middle.normed, prefix);
    if (i === config.layers.length - 1) return { hidden: graph.op('Add', [middle.residual, output]), newRows };
    ({ residual, normed } = addAndNorm(graph, middle.residual, output, `layers.${i + 1}.attentionNorm`, normEpsilon));
  }
  throw new Error('a model has at least one layer');
}
