import type { Reduction } from '../losses/reduction.ts';
import type { KnownLosses } from '../losses/server-loss.ts';

/** How a server trains, measured with a model that is thrown away (`probe.ts`). */
export type ServerTraits = {
  reduction: Reduction;
  /** Whether steps grow with the gradient if Adam's parameters say so. Otherwise the plain sum that Tinker promises is assumed. */
  isMeasured: boolean;
  losses: KnownLosses;
  /** Whether a training request that arrives twice counts once. */
  countsRepeatsOnce: boolean;
  /** Of the LoRA weights; a server chooses it itself. */
  alpha: number;
  obeysWeightDecay: boolean;
  obeysGradientClipping: boolean;
  reportsGradientNorm: boolean;
  /** Whether a new model starts with the gradients of a model that was unloaded before. */
  keepsGradients: boolean;
};

/** Of the metrics of a step; undefined if the server does not report it. */
export function gradientNormOf(metrics: Record<string, number | null>): number | null | undefined {
  const name = Object.keys(metrics).find((each) => /(^|[/.:])grad(ient)?_norm/.test(each));
  return name === undefined ? undefined : metrics[name];
}

/** What a server does otherwise than a job asks, each with the name of the setting. */
export function deviationsOf(traits: ServerTraits, asked: { alpha: number; host: string }): string[] {
  const server = `The Tinker server ${asked.host}`;
  return [
    ...(traits.alpha === asked.alpha
      ? []
      : [
          `lora alpha: ${server} trains with alpha ${traits.alpha} instead of ${asked.alpha}, so a step changes the model ` +
            `${round(traits.alpha / asked.alpha)} times as much at the same learning rate.`,
        ]),
    ...(traits.obeysGradientClipping ? [] : [`grad_clip_norm: ${server} does not clip gradients.`]),
    ...(traits.obeysWeightDecay ? [] : [`weight_decay: ${server} ignores it.`]),
    ...(traits.isMeasured
      ? []
      : [`eps: ${server} ignores it, so the reduction of its losses cannot be measured. The plain sum is assumed.`]),
    ...(traits.countsRepeatsOnce
      ? []
      : [`seq_id: ${server} applies a repeated request twice. A job fails if the answer to one of its steps is lost.`]),
  ];
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
