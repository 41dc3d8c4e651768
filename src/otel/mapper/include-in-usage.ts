import type { RawSpan } from '../raw-span.ts';
import { opened, valueAt } from '../tree.ts';
import type { UsageCount } from './convention.ts';
import { countOf } from './count.ts';
import type { Found } from './find.ts';
import { providerOf, tracerOf } from './reporter.ts';
import type { Usage } from './usage.ts';

/**
 * Langfuse's own names count tokens apart from each other: `input` without cached tokens and audio, `output` without
 * reasoning. A total of these two alone shows that a sender does not.
 */
export function includeBuckets(usage: Usage, found: Map<UsageCount, Found>): void {
  const isOwn = (name: UsageCount, key: string) => found.get(name)?.source.key === `${detailsOfLangfuse}.${key}`;
  const [input, output] = [usage.input_tokens ?? 0, usage.output_tokens ?? 0];
  if (usage.total_tokens === input + output) return;
  if (isOwn('input_tokens', 'input')) usage.input_tokens = input + sumOf(usage, partsOfInput);
  if (isOwn('output_tokens', 'output')) usage.output_tokens = output + sumOf(usage, partsOfOutput);
}

const detailsOfLangfuse = 'langfuse.observation.usage_details';
const partsOfInput: UsageCount[] = [
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'input_audio_tokens',
  'input_image_tokens',
  'input_video_tokens',
];
const partsOfOutput: UsageCount[] = [
  'reasoning_tokens',
  'output_audio_tokens',
  'output_image_tokens',
  'output_video_tokens',
];

function sumOf(usage: Usage, names: UsageCount[]): number {
  return names.reduce((sum, name) => sum + (usage[name] ?? 0), 0);
}

/**
 * A price counts the tokens of the cache as part of the input. Where a sender clearly counts them beside it, since they are
 * more than the input or only together make up the total, they are added. Instrumentations of Bedrock write the counts of its
 * answers, which are beside each other, and Weave's conversations those of Anthropic's. So does whoever reports the same input
 * as Anthropic's answer on the span.
 */
export function includeCache(usage: Usage, found: Map<UsageCount, Found>, span: RawSpan): void {
  const name = inputOf(usage);
  const [input, output] = [usage[name], usage.output_tokens ?? usage.completion_tokens];
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  if (input === null || cached === 0 || hasDetailsOfVercel(span)) return;
  const isTotalWithout = output !== null && usage.total_tokens === input + output;
  const isBeside =
    (found.get(name)?.source.key.startsWith('gen_ai.') && hasAnswersCounts(span, isTotalWithout)) ||
    input < cached ||
    isOldVercel(span) ||
    inputAnswered(span) === input ||
    (output !== null && usage.total_tokens === input + output + cached);
  if (!isBeside) return;
  if (isTotalWithout) usage.total_tokens! += cached;
  usage[name] = input + cached;
}

/** Since version 6, Vercel's SDK has the cached tokens of all providers in the input. */
function hasDetailsOfVercel({ attributes: { tree } }: RawSpan): boolean {
  return tree.has('ai') && valueAt(tree, ['ai', 'usage', 'inputTokenDetails']) !== undefined;
}

/** Before that, it repeats the input of these providers, which is without them. */
function isOldVercel({ attributes: { tree } }: RawSpan): boolean {
  const metadata = tree.has('ai') ? opened(valueAt(tree, ['ai', 'response', 'providerMetadata'])) : undefined;
  return metadata instanceof Map && (metadata.has('anthropic') || metadata.has('bedrock'));
}

/** The input tokens of an answer of Anthropic's API on the span, which has the cached ones beside them; null without one. */
function inputAnswered({ attributes: { tree } }: RawSpan): number | null {
  for (const path of answers) {
    const usage = tree.has(path[0]!) ? opened(valueAt(tree, path)) : undefined;
    if (!(usage instanceof Map) || !usage.has('cache_read_input_tokens') || usage.has('prompt_tokens')) continue;
    const count = countOf(usage.get('input_tokens') ?? null);
    if (count !== null) return count;
  }
  return null;
}

const answers = [
  ['output', 'value', 'usage'],
  ['mlflow', 'spanOutputs', 'usage'],
  ['response_data', 'usage'],
];

/** Whether the tracer of a span repeats the counts of an API that has cached tokens beside the input. */
function hasAnswersCounts(span: RawSpan, isTotalWithout: boolean): boolean {
  const provider = providerOf(span);
  if (/bedrock|^aws$/i.test(provider)) return true;
  return tracerOf(span).startsWith('weave.') && /anthropic/i.test(provider) && !isTotalWithout;
}

/**
 * Output is paid with the thoughts, which some count beside it: a total beyond input and output names them. Without a total,
 * thoughts that are more than the output cannot be part of it.
 */
export function includeRest(usage: Usage): void {
  const name = usage.output_tokens === null && usage.completion_tokens !== null ? 'completion_tokens' : 'output_tokens';
  const input = usage[inputOf(usage)];
  const [output, thoughts] = [usage[name], usage.reasoning_tokens ?? 0];
  if (input === null) return;
  if (usage.total_tokens === null) {
    if (output !== null && thoughts > output) usage[name] = output + thoughts;
    return;
  }
  const rest = usage.total_tokens - input - (output ?? 0);
  if (rest <= 0) return;
  usage[name] = (output ?? 0) + rest;
  if (output !== null && thoughts === 0) usage.reasoning_tokens = rest;
}

/** Embeddings have no output: a total alone counts their input. */
export function totalAsInput<Counted extends { usage: Usage } | null>(counted: Counted): Counted {
  if (counted === null) return counted;
  const { usage } = counted;
  const others = [usage.input_tokens, usage.prompt_tokens, usage.output_tokens, usage.completion_tokens];
  return others.some((count) => count)
    ? counted
    : { ...counted, usage: { ...usage, prompt_tokens: usage.total_tokens } };
}

function inputOf(usage: Usage): 'input_tokens' | 'prompt_tokens' {
  return usage.input_tokens === null ? 'prompt_tokens' : 'input_tokens';
}
