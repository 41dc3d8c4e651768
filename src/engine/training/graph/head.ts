import { matMulTransposed } from '../../graphs/linear.ts';
import type { GraphBuilder, Value } from '../../graphs/onnx/builder.ts';
import type { TrainingContext } from './context.ts';
import { rmsNorm, rmsNormBackward, rmsNormSteps } from './norm.ts';

/** M target tokens in chunks of equal size. The padding of the last chunk has no weight in the loss. */
export type HeadInputs = {
  /** `[M, 1]`: the index, among all T, of the token before each target. */
  places: Value;
  /** `[chunks, chunk]` */
  targets: Value;
  /** `[chunks, chunk, hidden]`: the head's rows of the targets. */
  targetRows: Value;
};

export type HeadOutputs = {
  /** `[M, hidden]`: the hidden states that predict the targets, before the last norm. */
  hidden: Value;
  /** `[M]` each. */
  logprobs: Value;
  entropies: Value;
  /** 1 if no token is more likely than the target. */
  hits: Value;
  /** `[chunks, chunk, hidden]`: the derivative of each logprob with respect to its normed hidden state; empty without training. */
  slopes: Value;
};

export function headInputs(graph: GraphBuilder, hiddenSize: number): HeadInputs {
  return {
    places: graph.input('places', 'int64', ['M', 1]),
    targets: graph.input('targets', 'int64', ['chunks', 'chunk']),
    targetRows: graph.input('targetRows', 'float32', ['chunks', 'chunk', hiddenSize]),
  };
}

/**
 * A row of logits is as long as the vocabulary, so only the logits of one chunk are in memory at a time. For every loss, the
 * derivative of a logprob with respect to the logits is the target's one-hot row minus the probabilities. Its product with the
 * head is computed with each chunk, and multiplied by the derivative of the loss later.
 * @param hidden `[T, hidden]`
 */
export function headForward(
  graph: GraphBuilder,
  { config, weights }: TrainingContext,
  inputs: HeadInputs,
  hidden: Value,
  trains: Value,
): HeadOutputs {
  const { hiddenSize } = config;
  const rows = graph.op('GatherND', [hidden, inputs.places]);
  const normed = rmsNorm(graph, rows, weights.get('norm'), config.normEpsilon);
  const chunkShape = graph.op('Shape', [inputs.targetRows]);
  const chunks = graph.op('Reshape', [normed, chunkShape]);
  const head = weights.get(config.tiedEmbeddings ? 'embedding' : 'head');

  const body = graph.branch('head');
  const x = body.input(`${body.name}/x`, 'float32', ['chunk', hiddenSize]);
  const target = body.input(`${body.name}/target`, 'int64', ['chunk']);
  const targetRow = body.input(`${body.name}/targetRow`, 'float32', ['chunk', hiddenSize]);
  const { logprobs, entropies, hits, exponentials, sums } = scoreChunk(body, matMulTransposed(body, x, head), target);
  const slope = body.branch('slope');
  const mixed = slope.op('Div', [slope.op('MatMul', [exponentials, head]), sums]);
  slope.output(`${slope.name}/out`, slope.op('Sub', [targetRow, mixed]), 'float32', ['chunk', hiddenSize]);
  const none = body.branch('none');
  none.output(`${none.name}/out`, none.emptyFloats(), 'float32', [0, 0]);
  const branches = { then_branch: { graph: slope.graph() }, else_branch: { graph: none.graph() } };
  const [slopes] = body.ops('If', [trains], branches, 1);
  body.output(`${body.name}/logprobs`, logprobs, 'float32', ['chunk']);
  body.output(`${body.name}/entropies`, entropies, 'float32', ['chunk']);
  body.output(`${body.name}/slopes`, slopes!, 'float32', ['chunk or 0', 'hidden or 0']);
  body.output(`${body.name}/hits`, hits, 'float32', ['chunk']);

  const attributes = { body: { graph: body.graph() }, num_scan_inputs: 3 };
  const scanned = graph.ops('Scan', [chunks, inputs.targets, inputs.targetRows], attributes, 4);
  const flat = (value: Value) => graph.op('Reshape', [value, graph.integers(-1)]);
  const [logprobsOfAll, entropiesOfAll, slopesOfAll, hitsOfAll] = scanned as [Value, Value, Value, Value];
  return {
    hidden: rows,
    logprobs: flat(logprobsOfAll),
    entropies: flat(entropiesOfAll),
    slopes: slopesOfAll,
    hits: flat(hitsOfAll),
  };
}

/** @param gradients those of the logprobs, `[M]` @returns the gradient of the hidden states, `[T, hidden]` */
export function headBackward(
  graph: GraphBuilder,
  { config, weights }: TrainingContext,
  { places }: HeadInputs,
  { hidden, slopes }: HeadOutputs,
  gradients: Value,
  allHidden: Value,
): Value {
  const weight = weights.get('norm');
  const perTarget = graph.op('Reshape', [slopes, graph.integers(-1, config.hiddenSize)]);
  const weighed = graph.op('Mul', [perTarget, graph.op('Reshape', [gradients, graph.integers(-1, 1)])]);
  const state = rmsNormSteps(graph, hidden, weight, config.normEpsilon);
  const rows = rmsNormBackward(graph, state, weight, weighed);
  const zeros = graph.op('ConstantOfShape', [graph.op('Shape', [allHidden])]);
  return graph.op('ScatterND', [zeros, places, rows], { reduction: 'add' });
}

/** Does not use `ReduceLogSumExp`, which adds sequentially and is off by 2e-4 for a vocabulary of 50,000. */
function scoreChunk(graph: GraphBuilder, logits: Value, target: Value) {
  const axis = graph.integers(1);
  const column = graph.op('Reshape', [target, graph.integers(-1, 1)]);
  const highest = graph.op('ReduceMax', [logits, axis], { keepdims: 1 });
  const shifted = graph.op('Sub', [logits, highest]);
  const exponentials = graph.op('Exp', [shifted]);
  const sums = graph.op('ReduceSum', [exponentials, axis], { keepdims: 1 });
  const logSums = graph.op('Log', [sums]);
  const chosen = graph.op('GatherElements', [shifted, column], { axis: 1 });
  const weighed = graph.op('ReduceSum', [graph.op('Mul', [exponentials, shifted]), axis], { keepdims: 1 });
  const flat = (value: Value) => graph.op('Reshape', [value, graph.integers(-1)]);
  return {
    logprobs: flat(graph.op('Sub', [chosen, logSums])),
    entropies: flat(graph.op('Sub', [logSums, graph.op('Div', [weighed, sums])])),
    hits: flat(graph.op('Where', [graph.op('Less', [chosen, graph.float(0)]), graph.float(0), graph.float(1)])),
    exponentials,
    sums,
  };
}
