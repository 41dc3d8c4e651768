import type { ModelConfig } from '../models/config.ts';
import { type Arithmetic, quantisedRun } from './grouped-linear.ts';
import { linear } from './linear.ts';
import { capped, rmsNorm } from './norm.ts';
import type { GraphBuilder, Value } from './onnx/builder.ts';

/** The number of the type in ONNX. */
const int64 = 7;

/**
 * The logits of the rows `wanted`, as indices of B · N. The rows `reduced`, as indices of `wanted`, return only what sampling
 * and logprobs need, because a row of logits is as long as the vocabulary and slow to copy. The rows `described` return their
 * states after the last norm, for embeddings. Other rows skip the head.
 */
export function writeHead(graph: GraphBuilder, config: ModelConfig, hidden: Value, arithmetic: Arithmetic): void {
  const { vocabSize, hiddenSize, normEpsilon, tiedEmbeddings, logitCap } = config;
  const wanted = graph.input('wanted', 'int64', ['W']);
  const all = graph.op('Reshape', [hidden, graph.integers(-1, hiddenSize)]);
  const normed = rmsNorm(graph, graph.op('Gather', [all, wanted], { axis: 0 }), 'norm', normEpsilon);
  const byRow = graph.op('Reshape', [normed, graph.integers(-1, 1, hiddenSize)]);
  const product = linear(graph, byRow, tiedEmbeddings ? 'embedding' : 'head', quantisedRun(graph, wanted, arithmetic));
  const logits = capped(graph, graph.op('Reshape', [product, graph.integers(-1, vocabSize)]), logitCap);
  graph.output('logits', logits, 'float32', ['W', vocabSize]);
  writeReduced(graph, logits);
  const described = graph.input('described', 'int64', ['D']);
  const states = rmsNorm(graph, graph.op('Gather', [all, described], { axis: 0 }), 'norm', normEpsilon);
  graph.output('states', states, 'float32', ['D', hiddenSize]);
}

/**
 * For each row: the `top` highest logits and their tokens, the sum of all exponentials relative to the highest, and the
 * logit of one token. Skipped if there are no such rows, because `TopK` of no rows crashes the process.
 */
function writeReduced(graph: GraphBuilder, logits: Value): void {
  const reduces = graph.input('reduces', 'bool', []);
  const reduced = graph.input('reduced', 'int64', ['R']);
  const top = graph.input('top', 'int64', [1]);
  const targets = graph.input('targets', 'int64', ['R', 1]);
  const some = graph.branch('some');
  const rows = some.op('Gather', [logits, reduced], { axis: 0 });
  const [topLogits, topTokens] = some.ops('TopK', [rows, top], { axis: -1 }, 2);
  writeOutputs(some, 'some.', [
    topLogits!,
    topTokens!,
    sumOfExponentials(some, rows),
    some.op('GatherElements', [rows, targets], { axis: 1 }),
  ]);
  const none = graph.branch('none');
  const empty = none.emptyFloats();
  writeOutputs(none, 'none.', [empty, none.op('Cast', [empty], { to: int64 }), empty, empty]);
  const branches = { then_branch: { graph: some.graph() }, else_branch: { graph: none.graph() } };
  writeOutputs(graph, '', graph.ops('If', [reduces], branches, 4));
}

function writeOutputs(graph: GraphBuilder, prefix: string, [topLogits, topTokens, sums, targetLogits]: Value[]): void {
  graph.output(`${prefix}topLogits`, topLogits!, 'float32', ['R or 0', 'K']);
  graph.output(`${prefix}topTokens`, topTokens!, 'int64', ['R or 0', 'K']);
  graph.output(`${prefix}expSum`, sums!, 'float32', ['R or 0', '1 or 0']);
  graph.output(`${prefix}targetLogits`, targetLogits!, 'float32', ['R or 0', '1 or 0']);
}

/**
 * The sum of `exp(logit - highest)`. `ReduceLogSumExp` adds sequentially, and is off by 2e-4 for a vocabulary of 50,000. The
 * caller takes the logarithm, because the last bits of `Log` depend on the number of rows.
 */
function sumOfExponentials(graph: GraphBuilder, rows: Value): Value {
  const axis = graph.integers(1);
  const highest = graph.op('ReduceMax', [rows, axis], { keepdims: 1 });
  const exponentials = graph.op('Exp', [graph.op('Sub', [rows, highest])]);
  return graph.op('ReduceSum', [exponentials, axis], { keepdims: 1 });
}
