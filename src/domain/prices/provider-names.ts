/**
 * The id of a provider in the price data, from the words that spans and names of models use for it: `gcp.vertex_ai`,
 * `azure-openai.responses`, `xai.chat`, `together_ai`.
 * @returns null for a word that names no provider, such as that of a library in between; `unknown` for other words, which
 * may name a server of open models.
 */
export function providerOfName(name: string): string | null {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const joined = words.join('');
  if (noProvider.has(joined)) return null;
  const [, id] = names.find(([pattern]) => pattern.test(joined)) ?? [];
  return id ?? 'unknown';
}

/** The provider at the address of an API, `api.groq.com` or a URL; empty for other addresses. */
export function providerOfHost(address: string): string {
  const [domain] = /[^./:]+\.[^./:]+(?=$|[:/])/.exec(address.replace(/^\w+:\/\//, '')) ?? [''];
  return domains.get(domain.toLowerCase()) ?? '';
}

/** Libraries and gateways that ask other providers, and words that say nothing. */
const noProvider = new Set(
  '|ai|aigateway|chat|custom|gateway|helicone|langchain|litellm|litellmproxy|llamaindex|llm|other|portkey|unknown|vercel'.split(
    '|',
  ),
);

/** By the beginning of the name, without what is between its words; hosts of other providers' models first. */
const names: [pattern: RegExp, id: string][] = [
  [/compatible|like$|^self/, 'unknown'],
  [/^az(ure)?(ai|openai|foundry|$|chat|responses|completion|embedding)|^azure|microsoft/, 'azure'],
  [/^aws|bedrock|^amazon/, 'aws'],
  [/^vertex|^gcp|^google|^gemini/, 'google'],
  [/^openrouter/, 'openrouter'],
  [/^githubcopilot/, 'github-copilot'],
  [/^huggingface(cerebras|fireworksai|groq|hyperbolic|nebius|novita|nscale|ovhcloud|publicai|sambanova|together)$/, ''],
  [/^cloudflare|^workersai/, 'cloudflare'],
  [/^openai/, 'openai'],
  [/^anthropic|^claude/, 'anthropic'],
  [/^groq/, 'groq'],
  [/^mistral/, 'mistral'],
  [/^deepseek/, 'deepseek'],
  [/^xai|^grok/, 'x-ai'],
  [/^cohere/, 'cohere'],
  [/^together/, 'together'],
  [/^fireworks/, 'fireworks'],
  [/^perplexity|^pplx/, 'perplexity'],
  [/^cerebras/, 'cerebras'],
  [/^moonshot|^kimi/, 'moonshotai'],
  [/^minimax/, 'minimax'],
  [/^zhipu|^bigmodel/, 'zhipuai'],
  [/^zai/, 'zai'],
  [/^voyage/, 'voyageai'],
  [/^novita/, 'novita'],
  [/^baseten/, 'baseten'],
  [/^ovh/, 'ovhcloud'],
  [/^avian/, 'avian'],
  [/^arcee/, 'arcee'],
  [/^modal/, 'modal'],
];

const domains = new Map(
  Object.entries({
    'azure.com': 'azure',
    'azure-api.net': 'azure',
    'amazonaws.com': 'aws',
    'googleapis.com': 'google',
    'openrouter.ai': 'openrouter',
    'groq.com': 'groq',
    'mistral.ai': 'mistral',
    'deepseek.com': 'deepseek',
    'x.ai': 'x-ai',
    'cohere.ai': 'cohere',
    'cohere.com': 'cohere',
    'together.xyz': 'together',
    'together.ai': 'together',
    'fireworks.ai': 'fireworks',
    'perplexity.ai': 'perplexity',
    'cerebras.ai': 'cerebras',
    'moonshot.ai': 'moonshotai',
    'moonshot.cn': 'moonshotai',
    'z.ai': 'zai',
    'bigmodel.cn': 'zhipuai',
    'novita.ai': 'novita',
    'minimax.com': 'minimax',
    'minimax.io': 'minimax',
    'minimaxi.com': 'minimax',
    'minimaxi.io': 'minimax',
    'anthropic.com': 'anthropic',
  }),
);
