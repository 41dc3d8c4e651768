import type { SamplingDefaults } from '../plan/sampling-values.ts';
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
  // A model that does not sample has its temperature left over from a default.
  const sampling: SamplingDefaults = config.do_sample === false ? { temperature: 0 } : Object.fromEntries(named);
  return { sampling, eosIds, maxNewTokens };
}
