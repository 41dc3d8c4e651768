import { z } from 'zod';
import { type Failure, invalidInput } from '../../../util/failures.ts';
import { parsePlain } from '../../../util/json/parse.ts';

/** The settings in `adapter_config.json`. */
export type PeftConfig = {
  /** The rank of modules without one of their own. */
  rank: number;
  alpha: number;
  rslora: boolean;
  baseModel: string | null;
  /** `rank` unless the module has its own. */
  rankOf(module: string): number;
  alphaOf(module: string): number;
};

const alpha = z.number();
const rank = z.int().positive();

const configSchema = z
  .object({
    peft_type: z.string(),
    r: rank,
    lora_alpha: alpha,
    base_model_name_or_path: z.string().nullish(),
    use_rslora: z.boolean().nullish(),
    rank_pattern: z.record(z.string(), rank).nullish(),
    alpha_pattern: z.record(z.string(), alpha).nullish(),
    bias: z.string().nullish(),
    init_lora_weights: z.union([z.boolean(), z.string()]).nullish(),
  })
  .loose();

type PeftFile = z.infer<typeof configSchema>;

/** Unsupported features. A feature is off if its key is absent, null, false or empty. */
const unsupported: Record<string, string> = {
  use_dora: 'DoRA',
  use_qalora: 'QALoRA',
  use_bdlora: 'block-diagonal LoRA',
  lora_bias: 'biases of LoRA weights',
  modules_to_save: 'whole modules beside the LoRA weights',
  trainable_token_indices: 'trained tokens',
  target_parameters: 'LoRA on parameters outside of linear layers',
  layer_replication: 'replicated layers',
  alora_invocation_tokens: 'activated LoRA',
  arrow_config: 'Arrow routing',
  kasa_config: 'KaSA',
  monteclora_config: 'MonteCLoRA',
};

/** Initializations that do not change the weights of the base model. */
const plainInitializations = new Set(['gaussian', 'eva', 'orthogonal']);

/** @throws Failure */
export function parsePeftConfig(text: string): PeftConfig {
  const file = parse(text);
  if (file.peft_type !== 'LORA') {
    throw refused(`peft_type is ${JSON.stringify(file.peft_type)}; only "LORA" is supported`);
  }
  checkFeatures(file);
  return {
    rank: file.r,
    alpha: file.lora_alpha,
    rslora: file.use_rslora ?? false,
    baseModel: file.base_model_name_or_path || null,
    rankOf: patterned('rank_pattern', file.rank_pattern, file.r),
    alphaOf: patterned('alpha_pattern', file.alpha_pattern, file.lora_alpha),
  };
}

function parse(text: string): PeftFile {
  let json: unknown;
  try {
    json = parsePlain(text);
  } catch {
    throw refused('it is not JSON');
  }
  const parsed = configSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refused(`${issue!.path.join('.') || 'it'}: ${issue!.message}`);
}

function checkFeatures(file: PeftFile): void {
  for (const [field, feature] of Object.entries(unsupported)) {
    if (isOn(file[field])) throw refused(`${field} is set, and heddle does not support ${feature}`);
  }
  const { bias, init_lora_weights: initialization } = file;
  if ((bias ?? 'none') !== 'none') throw refused(`bias is ${JSON.stringify(bias)}; only "none" is supported`);
  if (typeof initialization === 'string' && !plainInitializations.has(initialization)) {
    throw refused(
      `init_lora_weights is ${JSON.stringify(initialization)}, which changes the weights of the base model; save the adapter with path_initial_model_for_weight_conversion`,
    );
  }
}

function isOn(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** In PEFT, keys are regular expressions. Only plain names are supported, because an expression could run forever. */
function patterned<Value>(field: string, patterns: Record<string, Value> | null | undefined, otherwise: Value) {
  const entries = Object.entries(patterns ?? {});
  const regex = entries.find(([key]) => !/^\^?[\w.]+$/.test(key));
  if (regex)
    throw refused(`${field} contains the regular expression ${JSON.stringify(regex[0])}; use names of modules`);
  const matches = (key: string, module: string) =>
    key.startsWith('^') ? module === key.slice(1) : module === key || module.endsWith(`.${key}`);
  return (module: string) => entries.find(([key]) => matches(key, module))?.[1] ?? otherwise;
}

function refused(found: string): Failure {
  return invalidInput(`adapter_config.json cannot be used: ${found}.`);
}
