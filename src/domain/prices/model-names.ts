import { providerOfHost, providerOfName } from './provider-names.ts';

/** A name of a model in the lists of a provider. Without a provider, the name alone has to say which one it is. */
export type ListedName = { providerId: string | null; name: string };

/** Whose models no other server has, but under the names of these. */
export const closedProviders = ['openai', 'anthropic', 'google', 'x-ai'];

/**
 * Under which names a model may be in the price data, the likeliest first. Names come with the path of an API
 * (`publishers/google/models/gemini-2.5-flash`), with a provider (`openai:gpt-4o`, `azure/gpt-4o`), or as one provider lists
 * another's models (`openai/gpt-oss-120b` at Groq).
 */
export function listedNames(provider: string, model: string): ListedName[] {
  const word = providerOfHost(provider) || providerOfName(provider);
  const sent = word === 'unknown' ? null : word;
  const name = withoutPath(model.trim());
  const [prefix, rest] = splitPrefix(name);
  const named = prefix === '' ? null : providerOfName(prefix);
  const isNamed = named !== null && named !== 'unknown';
  const names: ListedName[] = [];
  if (sent !== null) names.push({ providerId: sent, name });
  // A client of OpenAI may ask others, and a library in between any: then the model's name says which.
  if (isNamed && (sent === null || sent === 'openai' || sent === named)) {
    names.push({ providerId: named, name: withoutPath(rest) }, ...nestedNames(named, rest));
  }
  if (sent === null && !isNamed) {
    names.push({ providerId: null, name: named === null && prefix !== '' ? rest : name });
    if (bedrockName.test(name)) names.push({ providerId: 'aws', name });
    if (name.startsWith('text-embedding-')) names.push({ providerId: 'openai', name });
    if (name.startsWith('ft:')) names.push({ providerId: 'openai', name });
  }
  return names.flatMap(({ providerId, name: each }) =>
    spellings(each).map((spelling) => ({ providerId, name: spelling })),
  );
}

/** `bedrock/converse/anthropic.claude…`, `openrouter/openai/gpt-4o` as OpenRouter has it, `groq/openai/gpt-oss-120b`. */
function nestedNames(providerId: string, rest: string): ListedName[] {
  const inner = rest.replace(/^(converse|converse_like|invoke|chat|responses|text-completion)\//, '');
  return inner === rest ? [] : [{ providerId, name: inner }];
}

/** The name below the paths of Google's APIs, and in the ARN of a model of Bedrock. */
function withoutPath(name: string): string {
  return name.replace(/^(projects\/.*|publishers\/[^/]+\/)?models\//s, '').replace(/^arn:aws[^/]*\//, '');
}

/** What is before the first colon or slash, and after it. The ids of fine-tuned models and of versions have colons too. */
function splitPrefix(name: string): [prefix: string, rest: string] {
  const [, prefix = '', rest = name] = /^([\w.-]+)[:/](?=.)(.*)$/s.exec(name) ?? [];
  return prefix === 'ft' || bedrockName.test(name) ? ['', name] : [prefix, rest];
}

/** Vertex AI has the version of a model after an at sign. */
function spellings(name: string): string[] {
  return name.includes('@') ? [name, name.replace('@', '-'), name.replace(/@.*$/s, '')] : [name];
}

/** `anthropic.claude-3-5-haiku-20241022-v1:0`, optionally preceded by a region. */
const bedrockName = /^([a-z]+\.)?[a-z0-9]+\.[\w.-]+(:\w+)?$/;
