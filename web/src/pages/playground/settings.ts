import type { Search } from '../../hooks/use-search-state.ts';

/** What the user chose, as typed. The address keeps it. */
export type Settings = {
  model: string;
  /** Of the second side; empty if there is none. */
  other: string;
  temperature: string;
  max_tokens: string;
  seed: string;
  system: string;
  /** How many alternatives of each token are shown; empty for no probabilities. */
  logprobs: string;
};

export type SettingName = keyof Settings;

export function settingsOf(search: Search): Settings {
  const { model = '', other = '', temperature = '', max_tokens = '', seed = '', system = '', logprobs = '' } = search;
  return { model, other, temperature, max_tokens, seed, system, logprobs };
}

/** What is wrong with a number that was typed; null if nothing is. Empty means the default of the model. */
export function problemOf(name: SettingName, text: string): string | null {
  const range = ranges[name];
  if (text.trim() === '' || range === undefined) return null;
  const value = Number(text);
  const { min, max, isWhole } = range;
  if (Number.isFinite(value) && value >= min && value <= max && (!isWhole || Number.isSafeInteger(value))) return null;
  return `Enter ${isWhole ? 'a whole number' : 'a number'} ${max < 1000 ? `from ${min} to ${max}` : `of at least ${min}`}`;
}

const ranges: Partial<Record<SettingName, { min: number; max: number; isWhole: boolean }>> = {
  temperature: { min: 0, max: 2, isWhole: false },
  max_tokens: { min: 1, max: Number.MAX_SAFE_INTEGER, isWhole: true },
  seed: { min: 0, max: Number.MAX_SAFE_INTEGER, isWhole: true },
};

export function isValid(settings: Settings): boolean {
  return Object.entries(settings).every(([name, text]) => problemOf(name as SettingName, text) === null);
}

/** The parameters of a request. */
export function parametersOf({ temperature, max_tokens, seed, logprobs }: Settings) {
  return {
    ...(temperature.trim() === '' ? {} : { temperature: Number(temperature) }),
    ...(max_tokens.trim() === '' ? {} : { max_tokens: Number(max_tokens) }),
    ...(seed.trim() === '' ? {} : { seed: Number(seed) }),
    ...(logprobs === '' ? {} : { logprobs: true, top_logprobs: Number(logprobs) }),
  };
}
