import type { Loss } from '../engine/training/types.ts';
import { invalidInput } from '../util/failures.ts';

type Config = ReadonlyMap<string, number | string>;

/** The limits of ratios where a request has none. */
const clipDefault = { low: 0.8, high: 1.2 };
const droBetaDefault = 0.05;

const clipNames = ['clip_low_threshold', 'clip_high_threshold'];

const losses: Record<string, { options: readonly string[]; make(config: Config): Loss }> = {
  cross_entropy: { options: [], make: () => ({ name: 'cross_entropy' }) },
  importance_sampling: { options: [], make: () => ({ name: 'importance_sampling' }) },
  ppo: { options: clipNames, make: (config) => ({ name: 'ppo', config: clipOf(config) }) },
  cispo: { options: clipNames, make: (config) => ({ name: 'cispo', config: clipOf(config) }) },
  dro: { options: ['beta'], make: (config) => ({ name: 'dro', beta: numberOf(config, 'beta', droBetaDefault) }) },
  gspo: {
    options: clipNames,
    make: (config) => ({ name: 'ppo', config: { ...clipOf(config), importance_sampling_level: 'sequence' } }),
  },
};

/** A loss of the Tinker API, which is the sum over all tokens. @throws Failure for one that is not computed here */
export function lossOf(name: string, config: Config): Loss {
  const found = Object.hasOwn(losses, name) ? losses[name] : undefined;
  if (!found) {
    throw invalidInput(`loss_fn ${name} is not supported. Supported: ${Object.keys(losses).join(', ')}.`, {
      param: 'loss_fn',
    });
  }
  const unknown = [...config.keys()].find((key) => !found.options.includes(key));
  if (unknown !== undefined) {
    const known = found.options.length === 0 ? 'It has no options.' : `Its options: ${found.options.join(', ')}.`;
    throw invalidInput(`loss_fn_config.${unknown} is not an option of ${name}. ${known}`, { param: 'loss_fn_config' });
  }
  return { ...found.make(config), reduction: 'sum' };
}

function clipOf(config: Config): { epsilon: number; epsilon_high: number } {
  const low = numberOf(config, 'clip_low_threshold', clipDefault.low);
  const high = numberOf(config, 'clip_high_threshold', clipDefault.high);
  if (low > high) {
    throw invalidInput(`clip_low_threshold is ${low}, above clip_high_threshold, ${high}.`, {
      param: 'loss_fn_config',
    });
  }
  return { epsilon: 1 - low, epsilon_high: high - 1 };
}

function numberOf(config: Config, key: string, byDefault: number): number {
  const value = config.get(key) ?? byDefault;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw invalidInput(`loss_fn_config.${key} must be a finite number.`, { param: 'loss_fn_config' });
}
