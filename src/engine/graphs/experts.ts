import type { ExpertsConfig } from '../models/config.ts';
import type { LayerContext } from './attention.ts';
import { activated } from './feed-forward.ts';
import { matMulTransposed } from './linear.ts';
import type { GraphBuilder, Value } from './onnx/builder.ts';

/**
 * A feed-forward with several experts. The router chooses the experts with the highest scores for each token, and their
 * outputs are summed with its weights. An expert computes only its own tokens.
 * @returns `[B, N, hidden]`
 */
export function mixtureOfExperts(graph: GraphBuilder, context: LayerContext, x: Value): Value {
  const { config, prefix } = context;
  const tokens = graph.op('Reshape', [x, graph.integers(-1, config.hiddenSize)]);
  const shares = sharesOfExperts(
    graph,
    config.experts!,
    matMulTransposed(graph, tokens, graph.weight(`${prefix}.router`)),
  );
  let sum = graph.op('Mul', [tokens, graph.float(0)]);
  for (let expert = 0; expert < config.experts!.count; expert++) {
    sum = addExpert(graph, context, { expert, tokens, shares, sum });
  }
  return graph.op('Reshape', [sum, graph.op('Shape', [x])]);
}

/** `[tokens, experts]`: 0 for experts that are not used. */
function sharesOfExperts(graph: GraphBuilder, { used, normalizes }: ExpertsConfig, scores: Value): Value {
  const all = graph.op('Softmax', [scores], { axis: -1 });
  const [highest, experts] = graph.ops('TopK', [all, graph.integers(used)], { axis: -1 }, 2);
  const sum = graph.op('ReduceSum', [highest!, graph.integers(-1)], { keepdims: 1 });
  const shares = normalizes ? graph.op('Div', [highest!, sum]) : highest!;
  const none = graph.op('Mul', [all, graph.float(0)]);
  return graph.op('ScatterElements', [none, experts!, shares], { axis: 1 });
}

function addExpert(
  graph: GraphBuilder,
  { config, prefix }: LayerContext,
  { expert, tokens, shares, sum }: { expert: number; tokens: Value; shares: Value; sum: Value },
): Value {
  const column = graph.op('Gather', [shares, graph.integers(expert)], { axis: 1 });
  const places = graph.op('Transpose', [graph.op('NonZero', [column])], { perm: [1, 0] });
  const [rows] = graph.ops('Split', [places, graph.integers(1, 1)], { axis: 1 }, 2);
  const count = graph.op('Shape', [rows!], { start: 0, end: 1 });
  const isUsed = graph.op('Reshape', [graph.op('Less', [graph.integers(0), count]), graph.integers()]);
  const name = `${prefix}.expert${expert}`;
  const shape = ['tokens', config.hiddenSize];
  const some = graph.branch(`${name}.used`);
  const own = some.op('GatherND', [tokens, rows!]);
  const [gate, up] = some.ops(
    'Split',
    [matMulTransposed(some, own, some.weight(`${prefix}.experts.${expert}.gateUp`))],
    { axis: -1, num_outputs: 2 },
    2,
  );
  const gated = some.op('Mul', [activated(some, gate!, config.activation), up!]);
  const output = matMulTransposed(some, gated, some.weight(`${prefix}.experts.${expert}.down`));
  const weighted = some.op('Mul', [
    output,
    some.op('Gather', [column, some.op('Reshape', [rows!, some.integers(-1)])], { axis: 0 }),
  ]);
  const added = some.op('Add', [some.op('GatherND', [sum, rows!]), weighted]);
  some.output(`${name}.some`, some.op('ScatterND', [sum, rows!, added]), 'float32', shape);
  const none = graph.branch(`${name}.unused`);
  none.output(`${name}.none`, sum, 'float32', shape);
  const branches = { then_branch: { graph: some.graph() }, else_branch: { graph: none.graph() } };
  return graph.ops('If', [isUsed], branches, 1)[0]!;
}
