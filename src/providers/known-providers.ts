import { calcPrice, findProvider } from '@pydantic/genai-prices';

/** A provider that is reached at a public address in the protocol of OpenAI. */
type KnownProvider = {
  /** The prefix of model names: `openai/gpt-4o`. */
  name: string;
  baseUrl: string;
  /** The secret with its API key. */
  keyName: string;
};

const known: KnownProvider[] = [
  ['openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY'],
  ['anthropic', 'https://api.anthropic.com/v1', 'ANTHROPIC_API_KEY'],
  ['gemini', 'https://generativelanguage.googleapis.com/v1beta/openai', 'GEMINI_API_KEY'],
  ['mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY'],
  ['groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY'],
  ['deepseek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'],
  ['xai', 'https://api.x.ai/v1', 'XAI_API_KEY'],
  ['cohere', 'https://api.cohere.ai/compatibility/v1', 'COHERE_API_KEY'],
  ['cerebras', 'https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY'],
  ['fireworks_ai', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'],
  ['together_ai', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY'],
  ['openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'],
  ['perplexity', 'https://api.perplexity.ai', 'PERPLEXITY_API_KEY'],
  ['nvidia_nim', 'https://integrate.api.nvidia.com/v1', 'NVIDIA_NIM_API_KEY'],
  ['huggingface', 'https://router.huggingface.co/v1', 'HF_TOKEN'],
  ['coreweave', 'https://api.inference.wandb.ai/v1', 'WANDB_API_KEY'],
].map(([name, baseUrl, keyName]) => ({ name: name!, baseUrl: baseUrl!, keyName: keyName! }));

const byName = new Map(known.map((provider) => [provider.name, provider]));

/** Other names for them, among them those of the price data. */
const aliases: Record<string, string> = {
  google: 'gemini',
  'x-ai': 'xai',
  fireworks: 'fireworks_ai',
  together: 'together_ai',
  togetherai: 'together_ai',
  huggingface_cerebras: 'huggingface',
};

/** A model at a provider. */
export type KnownModel = {
  provider: KnownProvider;
  /** Its name there: `openai/gpt-4o` and `gpt-4o` are the same. */
  model: string;
  /** Whether the provider is guessed from a name that no known model has, such as `gpt-nope`. */
  isGuessed: boolean;
};

/** The provider of a model; null if none is known. */
export function knownProviderOf(model: string): KnownModel | null {
  const slash = model.indexOf('/');
  const prefixed = slash > 0 ? named(model.slice(0, slash)) : undefined;
  if (prefixed) return { provider: prefixed, model: model.slice(slash + 1), isGuessed: false };
  const id = unpriced.test(model) ? 'openai' : findProvider({ modelId: model })?.id;
  const provider = named(id ?? (/^(?:gpt-|chatgpt-)/.test(model) ? 'openai' : ''));
  if (!provider) return null;
  const isPriced = id !== undefined && calcPrice({}, model, { providerId: id }) !== null;
  return { provider, model, isGuessed: !isPriced && !unpriced.test(model) };
}

/** Models of OpenAI that are not for chats, which the price data lack. */
const unpriced = /^(?:dall-e-|gpt-image-|text-embedding-)/;

/** The hosts of the well-known providers whose key has this name. */
export function knownHosts(keyName: string): string[] {
  return known.filter((provider) => provider.keyName === keyName).map(({ baseUrl }) => new URL(baseUrl).host);
}

function named(name: string): KnownProvider | undefined {
  return byName.get(Object.hasOwn(aliases, name) ? aliases[name]! : name);
}
