import { isGreedy } from '../../engine/sampling/parameters.ts';
import { invalidInput } from '../../util/failures.ts';

/** The sampling values of a request as its fields; null and absent mean the same. */
export type RequestedSampling = Partial<
  Record<
    'temperature' | 'top_p' | 'top_k' | 'min_p' | 'frequency_penalty' | 'presence_penalty' | 'repetition_penalty' | 'n',
    number | null
  >
>;

/** The values in a model's `generation_config.json`, under the same names. */
export type SamplingDefaults = RequestedSampling;

export type SamplingValues = Record<Exclude<keyof RequestedSampling, never>, number>;

const neutral: SamplingValues = {
  temperature: 1,
  top_p: 1,
  top_k: 0,
  min_p: 0,
  frequency_penalty: 0,
  presence_penalty: 0,
  repetition_penalty: 1,
  n: 1,
};

/**
 * The request's values, otherwise the model's defaults, otherwise neutral ones; checked, with `top_k` −1 read as off.
 */
export function samplingValues(
  requested: RequestedSampling,
  defaults: SamplingDefaults = {},
  { choicesMax = 256 } = {},
): SamplingValues {
  const values = { ...neutral };
  for (const name of Object.keys(neutral) as (keyof SamplingValues)[]) {
    values[name] = requested[name] ?? (name === 'n' ? null : defaults[name]) ?? neutral[name];
  }
  check(values, choicesMax);
  return { ...values, top_k: Math.max(values.top_k, 0) };
}

function check(values: SamplingValues, choicesMax: number): void {
  const { temperature, top_p, top_k, min_p, repetition_penalty, n } = values;
  if (!(temperature >= 0 && temperature <= 2)) refuse('temperature', 'a number from 0 to 2', temperature);
  if (!(top_p > 0 && top_p <= 1)) refuse('top_p', 'a number above 0 and at most 1', top_p);
  if (!Number.isInteger(top_k) || top_k < -1) refuse('top_k', 'an integer: -1 or 0 for off, or at least 1', top_k);
  if (!(min_p >= 0 && min_p <= 1)) refuse('min_p', 'a number from 0 to 1', min_p);
  for (const name of ['frequency_penalty', 'presence_penalty'] as const) {
    if (!(Math.abs(values[name]) <= 2)) refuse(name, 'a number from -2 to 2', values[name]);
  }
  if (!(repetition_penalty > 0 && Number.isFinite(repetition_penalty))) {
    refuse('repetition_penalty', 'a finite number above 0', repetition_penalty);
  }
  if (!Number.isInteger(n) || n < 1 || n > choicesMax) refuse('n', `an integer from 1 to ${choicesMax}`, n);
}

/** Several greedy choices would be equal, except with beams. */
export function checkChoices({ n, temperature }: SamplingValues, usesBeams: boolean): void {
  if (n > 1 && isGreedy({ temperature }) && !usesBeams) {
    throw invalidInput('n must be 1 with greedy sampling (temperature 0): all choices would be the same.', {
      param: 'n',
    });
  }
}

function refuse(param: string, expected: string, found: number): never {
  throw invalidInput(`${param} must be ${expected}, got ${found}.`, { param });
}
