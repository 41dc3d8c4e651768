import { type RotaryConfig, UnsupportedModelError } from './config.ts';

/** How a model stretches its rotary embedding over longer contexts, in the words of Hugging Face. */
export type RotaryScaling =
  | { type: 'default' }
  | { type: 'linear'; factor: number }
  | { type: 'llama3'; factor: number; lowFactor: number; highFactor: number; originalContext: number }
  | { type: 'yarn'; factor: number; betaFast: number; betaSlow: number; originalContext: number; scale: number | null };

export function rotaryConfig(headDim: number, theta: number, scaling: RotaryScaling): RotaryConfig {
  const pairs = headDim / 2;
  const plain = Array.from({ length: pairs }, (_, i) => theta ** (-i / pairs));
  switch (scaling.type) {
    case 'default':
      return { inverseFrequencies: plain, scale: 1 };
    case 'linear':
      return { inverseFrequencies: plain.map((each) => each / scaling.factor), scale: 1 };
    case 'llama3':
      return { inverseFrequencies: plain.map((each) => scaleLlama3(each, scaling)), scale: 1 };
    case 'yarn':
      return scaleYarn(plain, headDim, theta, scaling);
    default:
      throw new UnsupportedModelError(`rope scaling ${(scaling satisfies never as { type: string }).type}`);
  }
}

/** Slow frequencies are divided, fast ones kept, those between mixed. */
function scaleLlama3(frequency: number, scaling: RotaryScaling & { type: 'llama3' }): number {
  const { factor, lowFactor, highFactor, originalContext } = scaling;
  const turns = (originalContext * frequency) / (2 * Math.PI);
  if (turns < lowFactor) return frequency / factor;
  if (turns > highFactor) return frequency;
  const kept = (turns - lowFactor) / (highFactor - lowFactor);
  return ((1 - kept) * frequency) / factor + kept * frequency;
}

/** YaRN (https://arxiv.org/abs/2309.00071): as above, by the number of the dimension, and with sharper attention. */
function scaleYarn(
  plain: number[],
  headDim: number,
  theta: number,
  scaling: RotaryScaling & { type: 'yarn' },
): RotaryConfig {
  const { factor, betaFast, betaSlow, originalContext } = scaling;
  const pairTurning = (turns: number) =>
    (headDim * Math.log(originalContext / (turns * 2 * Math.PI))) / (2 * Math.log(theta));
  const low = Math.max(Math.floor(pairTurning(betaFast)), 0);
  const high = Math.min(Math.ceil(pairTurning(betaSlow)), headDim - 1);
  const width = high === low ? 0.001 : high - low;
  const inverseFrequencies = plain.map((frequency, i) => {
    const divided = Math.min(Math.max((i - low) / width, 0), 1);
    return (divided * frequency) / factor + (1 - divided) * frequency;
  });
  return { inverseFrequencies, scale: scaling.scale ?? (factor <= 1 ? 1 : 0.1 * Math.log(factor) + 1) };
}
