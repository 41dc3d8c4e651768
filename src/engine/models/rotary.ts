import { type Llama3Scaling, type RotaryConfig, type RotaryScaling, UnsupportedModelError } from './config.ts';

/** @param headDim the number of dimensions of a head that are rotated */
export function rotaryConfig(headDim: number, theta: number, scaling: RotaryScaling): RotaryConfig {
  return { theta, scaling, ...scaledFrequencies(headDim, theta, scaling) };
}

/** The frequencies without scaling. */
export function plainFrequencies(headDim: number, theta: number): number[] {
  const pairs = headDim / 2;
  return Array.from({ length: pairs }, (_, i) => theta ** (-i / pairs));
}

type Frequencies = Pick<RotaryConfig, 'inverseFrequencies' | 'scale'>;

function scaledFrequencies(headDim: number, theta: number, scaling: RotaryScaling): Frequencies {
  const plain = plainFrequencies(headDim, theta);
  switch (scaling.type) {
    case 'default':
      return { inverseFrequencies: plain, scale: 1 };
    case 'linear':
      return { inverseFrequencies: plain.map((each) => each / scaling.factor), scale: 1 };
    case 'llama3':
      return { inverseFrequencies: plain.map((each) => scaleLlama3(each, scaling)), scale: 1 };
    case 'longrope':
      return { inverseFrequencies: plain.map((each, i) => each / scaling.factors[i]!), scale: scaling.scale };
    case 'yarn':
      return scaleYarn(plain, headDim, theta, scaling);
    case 'divided': {
      const { inverseFrequencies, scale } = scaledFrequencies(headDim, theta, scaling.before);
      return { inverseFrequencies: inverseFrequencies.map((each, i) => each / scaling.divisors[i]!), scale };
    }
    default:
      throw new UnsupportedModelError(`rope scaling ${(scaling satisfies never as { type: string }).type}`);
  }
}

/**
 * The scaling of Llama 3 that divides the frequencies by these numbers; null if there is none. All models use the factors 1
 * and 4, and the original context follows from a frequency that is partly divided.
 */
export function llama3ScalingOf(divisors: readonly number[], headDim: number, theta: number): Llama3Scaling | null {
  const plain = plainFrequencies(headDim, theta);
  const factor = Math.max(...divisors);
  const mixed = divisors.findIndex((each) => each > 1 && each < factor);
  if (mixed === -1) return null;
  const [lowFactor, highFactor] = [1, 4];
  const kept = (1 / divisors[mixed]! - 1 / factor) / (1 - 1 / factor);
  const turns = lowFactor + kept * (highFactor - lowFactor);
  const originalContext = Math.round((turns * 2 * Math.PI) / plain[mixed]!);
  const scaling: Llama3Scaling = { type: 'llama3', factor, lowFactor, highFactor, originalContext };
  const isSame = plain.every((each, i) => Math.abs(each / scaleLlama3(each, scaling) / divisors[i]! - 1) < 1e-5);
  return isSame ? scaling : null;
}

/** Low frequencies are divided, high ones stay, and those in between are interpolated. */
function scaleLlama3(frequency: number, scaling: Llama3Scaling): number {
  const { factor, lowFactor, highFactor, originalContext } = scaling;
  const turns = (originalContext * frequency) / (2 * Math.PI);
  if (turns < lowFactor) return frequency / factor;
  if (turns > highFactor) return frequency;
  const kept = (turns - lowFactor) / (highFactor - lowFactor);
  return ((1 - kept) * frequency) / factor + kept * frequency;
}

/** YaRN (https://arxiv.org/abs/2309.00071): interpolates by the index of the dimension, and sharpens attention. */
function scaleYarn(
  plain: number[],
  headDim: number,
  theta: number,
  scaling: RotaryScaling & { type: 'yarn' },
): Frequencies {
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
