import { GraphBuilder, type Value } from '../../graphs/onnx/builder.ts';
import type { OnnxGraph } from '../../graphs/onnx/encode.ts';
import type { ModelConfig } from '../../models/config.ts';
import type { WeightPlace } from '../../models/weight-layout.ts';
import { blocksOf } from './attention-blocks.ts';
import type { LayerContext, Shapes, TrainingContext } from './context.ts';
import { type HeadInputs, type HeadOutputs, headBackward, headForward, headInputs } from './head.ts';
import { type LayerSaved, layerBackward, layerForward } from './layer.ts';
import { loraLayout } from './lora-layout.ts';
import { type ObjectiveInputs, objectiveGradients, objectiveInputs } from './objective.ts';
import { splitPlaces } from './split-places.ts';

/**
 * The graph of a training run. The forward pass computes the logprobs of M target tokens from B rows of N tokens, through all
 * layers with LoRA weights. If `trains` is set, the objective computes the gradient of the loss, and the backward pass the
 * gradients of the LoRA weights in the order of their layout; otherwise they are empty. See `decisions/0015-training-graph.md`.
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
  const parameters = backward(graph, context, { trains, hidden, saved, head, inputs });
  graph.output('gradients', parameters, 'float32', ['parameters or 0']);
  graph.output('logprobs', head.logprobs, 'float32', ['M']);
  graph.output('entropies', head.entropies, 'float32', ['M']);
  graph.output('hits', head.hits, 'float32', ['M']);
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

type Forwarded = {
  trains: Value;
  hidden: Value;
  saved: LayerSaved[];
  head: HeadOutputs;
  inputs: { head: HeadInputs; objective: ObjectiveInputs };
};

/**
 * Each layer is a separate branch, because ONNX Runtime's planning time grows with the square of a graph's nodes.
 * @returns the concatenated gradients of all parameters
 */
function backward(graph: GraphBuilder, context: TrainingContext, forwarded: Forwarded): Value {
  const { trains, hidden, saved, head, inputs } = forwarded;
  const { hiddenSize } = context.config;
  const residual = { shape: ['T', hiddenSize] };
  let [gradient] = where(graph, trains, 'backward', (branch) => {
    const objective = objectiveGradients(branch, head.logprobs, inputs.objective);
    return [{ value: headBackward(branch, context, inputs.head, head, objective, hidden), ...residual }];
  });
  const parameters: Value[] = [];
  for (const [layer, each] of [...saved.entries()].reverse()) {
    const [ofLayer, before] = where(graph, trains, `backward_${layer}`, (branch) => {
      const done = layerBackward(branch, layerContext(context, layer), each, gradient!);
      const flat = done.parameters.map((parameter) => branch.op('Reshape', [parameter, branch.integers(-1)]));
      const ofLayer = { value: branch.op('Concat', flat, { axis: 0 }), shape: ['parameters'] };
      // Nothing before the first layer is trained.
      return layer === 0 ? [ofLayer] : [ofLayer, { value: done.residual(), ...residual }];
    });
    parameters.unshift(ofLayer!);
    gradient = before;
  }
  return graph.op('Concat', parameters, { axis: 0 });
}

type Branch = (graph: GraphBuilder) => { value: Value; shape: (string | number)[] }[];

/** Computes a branch if the condition is true. Otherwise its values have the same rank and no elements. */
function where(graph: GraphBuilder, condition: Value, name: string, compute: Branch): Value[] {
  const then = graph.branch(name);
  const computed = compute(then);
  const otherwise = graph.branch(`no_${name}`);
  for (const [i, { value, shape }] of computed.entries()) {
    then.output(`${then.name}/out${i}`, value, 'float32', shape);
    const nothing = otherwise.op('Reshape', [otherwise.emptyFloats(), otherwise.integers(...shape.map(() => 0))]);
    otherwise.output(
      `${otherwise.name}/out${i}`,
      nothing,
      'float32',
      shape.map(() => 0),
    );
  }
  const branches = { then_branch: { graph: then.graph() }, else_branch: { graph: otherwise.graph() } };
  return graph.ops('If', [condition], branches, computed.length);
}

function layerContext(context: TrainingContext, layer: number): LayerContext {
  return { ...context, layer, window: context.config.layers[layer]!.window };
}
