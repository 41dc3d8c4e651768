import { UnsupportedModelError } from '../../engine/models/config.ts';
import { ggufValue, type TypedValue, type TypedValues } from '../../engine/models/gguf/values.ts';
import type { SamplingDefaults } from '../plan/sampling-values.ts';
import type { GgufMetadata } from './from-gguf.ts';
import { readJsonFile } from './read-json-file.ts';

/** A model's defaults: sampling values, end-of-text tokens, and the longest output. */
export type GenerationConfig = { sampling: SamplingDefaults; eosIds: number[]; maxNewTokens: number | null };

const samplingNames = ['temperature', 'top_p', 'top_k', 'min_p', 'repetition_penalty'] as const;

/** Reads `generation_config.json` of a folder; empty without one. */
export async function generationConfigOf(folder: string): Promise<GenerationConfig> {
  const config = (await readJsonFile(folder, 'generation_config.json')) ?? {};
  const eos = config.eos_token_id;
  const eosIds = (Array.isArray(eos) ? eos : [eos]).filter((id): id is number => Number.isInteger(id));
  const named = samplingNames.flatMap((name) =>
    typeof config[name] === 'number' ? [[name, config[name]] as const] : [],
  );
  const maxNewTokens = typeof config.max_new_tokens === 'number' ? config.max_new_tokens : null;
  // If a model does not sample, its temperature is a left-over default.
  const sampling: SamplingDefaults = config.do_sample === false ? { temperature: 0 } : Object.fromEntries(named);
  return { sampling, eosIds, maxNewTokens };
}

/** The fields of a GGUF file for sampling values. */
const ggufNames = {
  temperature: 'temp',
  top_p: 'top_p',
  top_k: 'top_k',
  min_p: 'min_p',
  repetition_penalty: 'penalty_repeat',
} as const satisfies Record<(typeof samplingNames)[number], string>;
/** The fields of a GGUF file for further tokens that end a text. */
const ggufEnds = ['tokenizer.ggml.eot_token_id', 'tokenizer.ggml.eom_token_id'];

/** The same from a GGUF file. */
export function generationConfigOfGguf(metadata: GgufMetadata): GenerationConfig {
  const sampling = samplingNames.flatMap((name) => {
    const value = metadata[`general.sampling.${ggufNames[name]}`];
    // The shortest number that equals this one in 32 bits, as it was originally.
    return typeof value === 'number' ? [[name, Number(value.toPrecision(7))] as const] : [];
  });
  const eosIds = ggufEnds.map((key) => metadata[key]).filter((id): id is number => typeof id === 'number');
  return { sampling: Object.fromEntries(sampling), eosIds, maxNewTokens: null };
}

/** The inverse of `generationConfigOfGguf`, without `max_new_tokens`. @throws UnsupportedModelError */
export function ggufGenerationValues({ sampling, eosIds }: GenerationConfig, eosId: number | null): TypedValues {
  const further = [...new Set(eosIds)].filter((id) => id !== eosId);
  const ends = eosId === null ? ['tokenizer.ggml.eos_token_id', ...ggufEnds] : ggufEnds;
  if (further.length > ends.length) {
    const found = `names ${further.length} end tokens beside that of the tokenizer`;
    throw new UnsupportedModelError(
      `generation_config.json does not fit into a GGUF file: eos_token_id ${found}, and there are ${ends.length} fields`,
    );
  }
  const named = samplingNames.flatMap((name): [string, TypedValue][] => {
    const value = sampling[name];
    if (value === undefined || value === null) return [];
    const typed = name === 'top_k' ? ggufValue.count : ggufValue.real;
    return [[`general.sampling.${ggufNames[name]}`, typed(value)]];
  });
  return Object.fromEntries([...further.map((id, index) => [ends[index]!, ggufValue.count(id)] as const), ...named]);
}
