import { GraphBuilder, type Value, type WeightPlace } from '../../graphs/onnx/builder.ts';
import type { OnnxGraph } from '../../graphs/onnx/encode.ts';
import type { ModelConfig } from '../../models/config.ts';
import { blocksOf } from './attention-blocks.ts';
import type { LayerContext, Shapes, TrainingContext } from './context.ts';
import { type HeadInputs, type HeadOutputs, headBackward, headForward, headInputs } from './head.ts';
import { type LayerSaved, layerBackward, layerForward } from './layer.ts';
import { loraLayout } from './lora-layout.ts';
import { objectiveGradients, objectiveInputs } from './objective.ts';
import { splitPlaces } from './split-places.ts';

/**
 * One run of training: B rows of N tokens go forward through all layers with LoRA weights, and come out as the logprobs of
 * M target tokens. Where it `trains`, the objective turns these into the gradient of the loss, which goes back through all
 * layers and comes out as the gradient of the LoRA weights, in the order of their layout. See
 * `decisions/0015-training-graph.md`.
 */
export function trainingGraph(config: ModelConfig, places: ReadonlyMap<string, WeightPlace>): OnnxGraph {
  const graph = new GraphBuilder('training', splitPlaces(config, places));
  const context = trainingContext(graph, config);
  const trains = graph.input('trains', 'bool', []);
  const inputs = { head: headInputs(graph, config.hiddenSize), objective: objectiveInputs(graph) };
  for (const { input, kind, shape } of loraLayout(config, 1).tensors) {
    graph.input(input, 'float32', kind === 'a' ? [`${input} rows`, shape[1]] : [shape[0], 'rank']);
  }
  const { hidden, saved } = forward(graph, context);
  const head = headForward(graph, context, inputs.head, hidden, trains);
  const gradients = graph.branch('backward');
  const objective = objectiveGradients(gradients, head.logprobs, inputs.objective);
  const parameters = backward(gradients, context, { hidden, saved, head, inputs: inputs.head }, objective);
  gradients.output(`${gradients.name}/out`, parameters, 'float32', ['parameters']);
  const nothing = graph.branch('forwardOnly');
  nothing.output(
    `${nothing.name}/out`,
    nothing.op('Reshape', [nothing.emptyFloats(), nothing.integers(-1)]),
    'float32',
    [0],
  );
  const branches = { then_branch: { graph: gradients.graph() }, else_branch: { graph: nothing.graph() } };
  graph.output('gradients', graph.ops('If', [trains], branches, 1)[0]!, 'float32', ['parameters or 0']);
  graph.output('logprobs', head.logprobs, 'float32', ['M']);
  graph.output('entropies', head.entropies, 'float32', ['M']);
  return graph.graph();
}

function trainingContext(graph: GraphBuilder, config: ModelConfig): TrainingContext {
  const angles = ['known positions', config.headDim / 2];
  const maskShape = ['B', 1, 'N', 'N'];
  const slides = config.layers.some(({ window }) => window !== null);
  const positions = graph.input('positions', 'int64', ['B', 'N']);
  const sines = graph.input('sines', 'float32', angles);
  const tokens = graph.op('Shape', [positions], { start: 1, end: 2 });
  const mask = graph.input('mask', 'float32', maskShape);
  const windowMask = slides ? graph.input('windowMask', 'float32', maskShape) : null;
  return {
    config,
    weights: { get: (name) => graph.weight(name), has: (name) => graph.hasWeight(name) },
    inputs: {
      positions,
      cosines: graph.input('cosines', 'float32', angles),
      sines,
      negativeSines: graph.op('Neg', [sines]),
      blocks: blocksOf(graph, config, { tokens, mask, windowMask }),
      shapes: shapesOf(graph, config, positions, tokens),
      loraScale: graph.input('loraScale', 'float32', []),
    },
  };
}

function shapesOf(graph: GraphBuilder, config: ModelConfig, positions: Value, tokens: Value): Shapes {
  const rows = graph.op('Shape', [positions], { start: 0, end: 1 });
  const shape = (...sizes: (Value | number)[]) =>
    graph.op(
      'Concat',
      sizes.map((size) => (typeof size === 'number' ? graph.integers(size) : size)),
      { axis: 0 },
    );
  const { heads, kvHeads, headDim } = config;
  return {
    rows: shape(rows, tokens, -1),
    queryHeads: shape(rows, tokens, heads, headDim),
    keyHeads: shape(rows, tokens, kvHeads, headDim),
  };
}

function forward(graph: GraphBuilder, context: TrainingContext): { hidden: Value; saved: LayerSaved[] } {
  const { hiddenSize, layers } = context.config;
  const embedded = graph.input('embedded', 'float32', ['B', 'N', hiddenSize]);
  let hidden = graph.op('Reshape', [embedded, graph.integers(-1, hiddenSize)]);
  const saved = layers.map((_, layer) => {
    const done = layerForward(graph, layerContext(context, layer), hidden);
    hidden = done.residual;
    return done.saved;
  });
  return { hidden, saved };
}

/** @returns the gradients of all parameters, one after the other */
function backward(
  graph: GraphBuilder,
  context: TrainingContext,
  forwarded: { hidden: Value; saved: LayerSaved[]; head: HeadOutputs; inputs: HeadInputs },
  objective: Value,
): Value {
  const { hidden, saved, head, inputs } = forwarded;
  let gradient = headBackward(graph, context, inputs, head, objective, hidden);
  const parameters: Value[] = [];
  for (const [layer, each] of [...saved.entries()].reverse()) {
    const done = layerBackward(graph, layerContext(context, layer), each, gradient);
    // Nothing is trained before the first layer.
    if (layer > 0) gradient = done.residual();
    parameters.unshift(...done.parameters);
  }
  const flat = parameters.map((each) => graph.op('Reshape', [each, graph.integers(-1)]));
  return graph.op('Concat', flat, { axis: 0 });
}

function layerContext(context: TrainingContext, layer: number): LayerContext {
  return { ...context, layer, window: context.config.layers[layer]!.window };
}
