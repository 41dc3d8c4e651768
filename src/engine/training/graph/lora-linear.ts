import type { GraphBuilder, Value } from '../../graphs/onnx/builder.ts';
import { hasBias, type LayerContext, weightOf } from './context.ts';
import { aInput, bInput, type LoraGroup } from './lora-layout.ts';

/** What the backward pass needs: `scale · x · aᵀ` of each module, `[T, rank]`. */
export type LoraSaved = { lows: Value[] };

/**
 * `x · Wᵀ + scale · (x · aᵀ) · bᵀ` for each module of a group; `x` is `[T, in]`. The large product adds to the small one, so
 * that no separate addition reads the output.
 * @param onto added to the output of a group with one module
 */
export function loraLinear(
  graph: GraphBuilder,
  context: LayerContext,
  group: LoraGroup,
  x: Value,
  onto: Value | null = null,
): { outputs: Value[]; saved: LoraSaved } {
  const low = graph.op('FusedMatMul', [x, aInput(context.layer, group)], { transB: 1 });
  const lows = splitEvenly(graph, graph.op('Mul', [low, context.inputs.loraScale]), group.modules.length);
  const outputs = group.modules.map((module, i) => {
    const bias = hasBias(context, module.weight) ? weightOf(context, `${module.weight}.bias`) : null;
    const start = bias && onto ? graph.op('Add', [onto, bias]) : (bias ?? onto);
    const small = gemm(graph, lows[i]!, bInput(context.layer, module), start, { transB: 1 });
    return gemm(graph, x, weightOf(context, module.weight), small, { transB: 1 });
  });
  return { outputs, saved: { lows } };
}

/**
 * @param gradients those of the outputs, `[T, out]` each
 * @returns the gradient of `x`, computed only when called, and those of the parameters in the order of the layout
 */
export function loraLinearBackward(
  graph: GraphBuilder,
  context: LayerContext,
  group: LoraGroup,
  x: Value,
  { lows }: LoraSaved,
  gradients: Value[],
): { x: () => Value; parameters: Value[] } {
  const { layer, inputs } = context;
  const bs = group.modules.map((module) => bInput(layer, module));
  const lowGradients = gradients.map((gradient, i) => graph.op('FusedMatMul', [gradient, bs[i]!]));
  const joined = lowGradients.length === 1 ? lowGradients[0]! : graph.op('Concat', lowGradients, { axis: 1 });
  const lowGradient = graph.op('Mul', [joined, inputs.loraScale]);
  const a = aInput(layer, group);
  const aGradient = graph.op('FusedMatMul', [lowGradient, x], { transA: 1 });
  const bGradients = gradients.map((gradient, i) => graph.op('FusedMatMul', [gradient, lows[i]!], { transA: 1 }));
  return {
    x: () =>
      group.modules.reduce(
        (sum, { weight }, i) => gemm(graph, gradients[i]!, weightOf(context, weight), sum, {}),
        graph.op('FusedMatMul', [lowGradient, a]),
      ),
    parameters: [aGradient, ...bGradients],
  };
}

function gemm(graph: GraphBuilder, a: Value, b: Value, onto: Value | null, attributes: { transB?: 1 }): Value {
  return graph.op('Gemm', onto === null ? [a, b] : [a, b, onto], attributes);
}

function splitEvenly(graph: GraphBuilder, x: Value, parts: number): Value[] {
  return parts === 1 ? [x] : graph.ops('Split', [x], { axis: 1, num_outputs: parts }, parts);
}
