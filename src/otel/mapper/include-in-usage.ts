import type { RawSpan } from '../raw-span.ts';
import { opened, valueAt } from '../tree.ts';
import type { UsageCount } from './convention.ts';
import { countOf } from './count.ts';
import type { Found } from './find.ts';
import { providerOf, tracerOf } from './reporter.ts';
import type { SpanUsage } from './span-usage.ts';

/**
 * Langfuse's own names count tokens separately: `input` without cached tokens and audio, `output` without reasoning. If
 * a total is the sum of only these two, the sender counts differently.
 */
export function includeBuckets(usage: SpanUsage, found: Map<UsageCount, Found>): void {
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

function sumOf(usage: SpanUsage, names: UsageCount[]): number {
  return names.reduce((sum, name) => sum + (usage[name] ?? 0), 0);
}

/**
 * Prices treat cached tokens as part of the input. If a sender clearly counts them separately, because they exceed the
 * input or are needed to reach the total, they are added. Instrumentations of Bedrock copy the counts of its responses,
 * which are separate, and Weave's conversations those of Anthropic's. So does any sender that reports the same input as
 * Anthropic's response on the span.
 */
export function includeCache(usage: SpanUsage, found: Map<UsageCount, Found>, span: RawSpan): void {
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

/** Since version 6, Vercel's SDK includes the cached tokens of all providers in the input. */
function hasDetailsOfVercel({ attributes: { tree } }: RawSpan): boolean {
  return tree.has('ai') && valueAt(tree, ['ai', 'usage', 'inputTokenDetails']) !== undefined;
}

/** Before that, it copies the input of these providers, which excludes them. */
function isOldVercel({ attributes: { tree } }: RawSpan): boolean {
  const metadata = tree.has('ai') ? opened(valueAt(tree, ['ai', 'response', 'providerMetadata'])) : undefined;
  return metadata instanceof Map && (metadata.has('anthropic') || metadata.has('bedrock'));
}

/**
 * The input tokens of a response of Anthropic's API on the span, which counts cached ones separately; null without one.
 */
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

/** Whether the tracer of a span copies the counts of an API that counts cached tokens separately from the input. */
function hasAnswersCounts(span: RawSpan, isTotalWithout: boolean): boolean {
  const provider = providerOf(span);
  if (/bedrock|^aws$/i.test(provider)) return true;
  return tracerOf(span).startsWith('weave.') && /anthropic/i.test(provider) && !isTotalWithout;
}

/**
 * Thoughts are billed as output, but some senders count them separately: a total beyond input and output includes them.
 * Without a total, thoughts that exceed the output cannot be part of it.
 */
export function includeRest(usage: SpanUsage): void {
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

/** Embeddings have no output: a total without other counts is their input. */
export function totalAsInput<Counted extends { usage: SpanUsage } | null>(counted: Counted): Counted {
  if (counted === null) return counted;
  const { usage } = counted;
  const others = [usage.input_tokens, usage.prompt_tokens, usage.output_tokens, usage.completion_tokens];
  return others.some((count) => count)
    ? counted
    : { ...counted, usage: { ...usage, prompt_tokens: usage.total_tokens } };
}

function inputOf(usage: SpanUsage): 'input_tokens' | 'prompt_tokens' {
  return usage.input_tokens === null ? 'prompt_tokens' : 'input_tokens';
}
