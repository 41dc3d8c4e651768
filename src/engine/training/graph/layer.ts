import type { GraphBuilder, Value } from '../../graphs/onnx/builder.ts';
import { type AttentionSaved, attention, attentionBackward } from './attention.ts';
import { waitFor } from './barrier.ts';
import { type LayerContext, weightOf } from './context.ts';
import { swiGlu, swiGluBackward } from './feed-forward.ts';
import { type LoraGroup, loraGroups } from './lora-layout.ts';
import { type LoraSaved, loraLinear, loraLinearBackward } from './lora-linear.ts';
import { rmsNorm, rmsNormBackward, rmsNormSteps } from './norm.ts';

/** What the backward pass of a layer needs. It recomputes norms, attention weights and the SwiGLU. */
export type LayerSaved = {
  /** The residual stream before the layer and between its two parts. */
  residual: Value;
  middle: Value;
  attention: AttentionSaved;
  attended: Value;
  gate: Value;
  up: Value;
  lora: { qkv: LoraSaved; attentionOut: LoraSaved; gateUp: LoraSaved; down: LoraSaved };
};

/** @param residual `[T, hidden]` */
export function layerForward(
  graph: GraphBuilder,
  context: LayerContext,
  residual: Value,
): { residual: Value; saved: LayerSaved } {
  const groups = groupsOf(context);
  const { normEpsilon } = context.config;
  const normed = rmsNorm(graph, residual, weightOf(context, 'attentionNorm'), normEpsilon);
  const qkv = loraLinear(graph, context, groups.qkv, normed);
  const [queries, keys, values] = qkv.outputs as [Value, Value, Value];
  const attended = attention(graph, context, { queries, keys, values });
  const attentionOut = loraLinear(graph, context, groups.attentionOut, attended.output, residual);
  const middle = attentionOut.outputs[0]!;
  const middleNormed = rmsNorm(graph, middle, weightOf(context, 'feedForwardNorm'), normEpsilon);
  const gateUp = loraLinear(graph, context, groups.gateUp, middleNormed);
  const [gate, up] = gateUp.outputs as [Value, Value];
  const down = loraLinear(graph, context, groups.down, swiGlu(graph, gate, up), middle);
  const lora = { qkv: qkv.saved, attentionOut: attentionOut.saved, gateUp: gateUp.saved, down: down.saved };
  const saved = { residual, middle, attention: attended.saved, attended: attended.output, gate, up, lora };
  return { residual: down.outputs[0]!, saved };
}

/**
 * @param gradient the gradient of the residual stream after the layer
 * @returns the gradient of the residual stream before it, computed only when called, and those of the parameters in the order
 * of the layout
 */
export function layerBackward(
  graph: GraphBuilder,
  context: LayerContext,
  saved: LayerSaved,
  gradient: Value,
): { residual: () => Value; parameters: Value[] } {
  const groups = groupsOf(context);
  const gate = waitFor(graph, saved.gate, [gradient]);
  const output = swiGlu(graph, gate, saved.up);
  const down = loraLinearBackward(graph, context, groups.down, output, saved.lora.down, [gradient]);
  const swiGluGradients = swiGluBackward(graph, { gate, up: saved.up, output }, down.x());
  const gateUp = normedBackward(graph, context, 'feedForwardNorm', saved.middle, gradient, (normed) =>
    loraLinearBackward(graph, context, groups.gateUp, normed, saved.lora.gateUp, [
      swiGluGradients.gate,
      swiGluGradients.up,
    ]),
  );
  const middle = waitFor(graph, gateUp.residual(), [...down.parameters, ...gateUp.parameters]);
  const attentionOut = loraLinearBackward(
    graph,
    context,
    groups.attentionOut,
    saved.attended,
    saved.lora.attentionOut,
    [middle],
  );
  const attended = attentionBackward(graph, context, saved.attention, saved.attended, attentionOut.x());
  const qkv = normedBackward(graph, context, 'attentionNorm', saved.residual, middle, (normed) =>
    loraLinearBackward(graph, context, groups.qkv, normed, saved.lora.qkv, [
      attended.queries,
      attended.keys,
      attended.values,
    ]),
  );
  return {
    residual: () => waitFor(graph, qkv.residual(), [...attentionOut.parameters, ...qkv.parameters]),
    parameters: [...qkv.parameters, ...attentionOut.parameters, ...gateUp.parameters, ...down.parameters],
  };
}

/** The gradient before a norm with a residual connection around it. @param x the input of the norm */
function normedBackward(
  graph: GraphBuilder,
  context: LayerContext,
  norm: string,
  x: Value,
  gradient: Value,
  following: (normed: Value) => { x: () => Value; parameters: Value[] },
): { residual: () => Value; parameters: Value[] } {
  const { normEpsilon } = context.config;
  const weight = weightOf(context, norm);
  const state = rmsNormSteps(graph, waitFor(graph, x, [gradient]), weight, normEpsilon);
  const { x: normedGradient, parameters } = following(state.output);
  const residual = () => graph.op('Add', [rmsNormBackward(graph, state, weight, normedGradient()), gradient]);
  return { residual, parameters };
}

function groupsOf({ config }: LayerContext): Record<keyof LayerSaved['lora'], LoraGroup> {
  const byName = Object.fromEntries(loraGroups(config).map((group) => [group.name, group]));
  return byName as Record<keyof LayerSaved['lora'], LoraGroup>;
}
