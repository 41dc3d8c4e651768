import type { GraphBuilder, Value } from '../../graphs/onnx/builder.ts';
import type { Algebra } from '../objectives/algebra.ts';
import { type PolicyOptions, type PolicyTargets, policyLoss } from '../objectives/policy-loss.ts';
import { optionNames } from '../objectives/policy-options.ts';

/** The derivative of the loss with respect to each logprob, `[M]`. `trainingGraph` declares its other inputs. */
export function objectiveGradients(graph: GraphBuilder, logprobs: Value, inputs: ObjectiveInputs): Value {
  const targets = { ...inputs.targets, logprobs };
  return policyLoss(graphAlgebra(graph, inputs), targets, inputs.options).gradients;
}

export type ObjectiveInputs = {
  targets: Omit<PolicyTargets<Value>, 'logprobs'>;
  options: PolicyOptions<Value>;
  /** `[results, M]`: `1 / √n` for the n targets of a result, otherwise 0. */
  results: Value;
};

export const targetNames = [
  'oldLogprobs',
  'oldKnown',
  'referenceLogprobs',
  'klMeans',
  'advantages',
  'weights',
] as const;

export function objectiveInputs(graph: GraphBuilder): ObjectiveInputs {
  const targets = targetNames.map((name) => [name, graph.input(`objective.${name}`, 'float32', ['M'])]);
  const options = optionNames.map((name) => [name, graph.input(`objective.${name}`, 'float32', [])]);
  return {
    targets: Object.fromEntries(targets),
    options: Object.fromEntries(options),
    results: graph.input('objective.results', 'float32', ['results', 'M']),
  };
}

function graphAlgebra(graph: GraphBuilder, { results }: ObjectiveInputs): Algebra<Value> {
  const binary = (type: string) => (a: Value, b: Value) => graph.op(type, [a, b]);
  return {
    scalar: (value) => graph.float(value),
    add: binary('Add'),
    subtract: binary('Sub'),
    multiply: binary('Mul'),
    exp: (a) => graph.op('Exp', [a]),
    min: binary('Min'),
    max: binary('Max'),
    less: binary('Less'),
    where: (condition, a, b) => graph.op('Where', [condition, a, b]),
    // The matrix of `1 / √n` sums the targets of each result and, transposed, distributes the mean to them.
    meanOfResult(a) {
      const sums = graph.op('MatMul', [results, graph.op('Reshape', [a, graph.integers(-1, 1)])]);
      return graph.op('Reshape', [graph.op('FusedMatMul', [results, sums], { transA: 1 }), graph.integers(-1)]);
    },
  };
}
