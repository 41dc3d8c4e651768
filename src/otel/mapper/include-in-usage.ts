import type { RawSpan } from '../raw-span.ts';
import type { UsageCount } from './convention.ts';
import type { Found } from './find.ts';
import { providerOf, tracerOf } from './reporter.ts';
import type { Usage } from './usage.ts';

/**
 * A price counts the tokens of the cache as part of the input. Where a sender clearly counts them beside it, since they are
 * more than the input or only together make up the total, they are added. Instrumentations of Bedrock write the counts of its
 * answers, which are beside each other, and Weave's conversations those of Anthropic's.
 */
export function includeCache(usage: Usage, found: Map<UsageCount, Found>, span: RawSpan): void {
  const name = inputOf(usage);
  const [input, output] = [usage[name], usage.output_tokens ?? usage.completion_tokens];
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  if (input === null || cached === 0) return;
  const isTotalWithout = output !== null && usage.total_tokens === input + output;
  const isBeside =
    (found.get(name)?.source.key.startsWith('gen_ai.') && hasAnswersCounts(span, isTotalWithout)) ||
    input < cached ||
    (output !== null && usage.total_tokens === input + output + cached);
  if (!isBeside) return;
  if (isTotalWithout) usage.total_tokens! += cached;
  usage[name] = input + cached;
}

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

function inputOf(usage: Usage): 'input_tokens' | 'prompt_tokens' {
  return usage.input_tokens === null ? 'prompt_tokens' : 'input_tokens';
}
