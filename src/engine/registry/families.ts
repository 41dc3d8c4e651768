/** The families of models the engine runs. */
export type Family = (typeof families)[number];

const families = ['llama', 'qwen2', 'qwen3', 'mistral'] as const;

/** As `architectures` in a `config.json` names them. */
const architectures: Record<string, Family> = {
  LlamaForCausalLM: 'llama',
  Qwen2ForCausalLM: 'qwen2',
  Qwen3ForCausalLM: 'qwen3',
  MistralForCausalLM: 'mistral',
};

/** The family of a `config.json`'s architecture. */
export function familyOfArchitecture(name: string): Family | null {
  return Object.hasOwn(architectures, name) ? architectures[name]! : null;
}

/** The family of a GGUF file's `general.architecture`. */
export function familyOfGguf(name: string): Family | null {
  return families.find((family) => family === name) ?? null;
}

/** What is taken, in words for those whose model is not. */
export const takenArchitectures = Object.keys(architectures).join(', ');
export const takenGgufArchitectures = families.join(', ');
