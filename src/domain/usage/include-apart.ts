import { parsePlain } from '../../util/json/parse.ts';
import type { CallUsage } from './call-usage.ts';
import type { ReportedUsage, ReportingCall } from './reported-usage.ts';

/**
 * The usage that a call of an SDK reports, with cached tokens as part of the input and thoughts as part of the output, as
 * prices count them. The SDKs store what the provider's API answers: Anthropic's has cached tokens beside the input,
 * Google's has thoughts beside the output, in the total alone.
 */
export function includeApart({ usage, counts }: ReportedUsage, call: ReportingCall): CallUsage {
  const cached = usage.cacheRead + usage.cacheCreation;
  const input = usage.input + (cached > 0 && isBeside(cached, { usage, counts }, call) ? cached : 0);
  const output = usage.output + (usage.output > 0 ? thoughtsBeside(usage, input) : 0);
  const isMore = input + output > usage.input + usage.output;
  const total = isMore && usage.total !== null ? Math.max(usage.total, input + output) : usage.total;
  return { ...usage, input, output, total };
}

function thoughtsBeside({ total, output, parts: { reasoning = 0 } }: CallUsage, input: number): number {
  if (total === null) return reasoning > output ? reasoning : 0;
  return input > 0 ? Math.max(0, total - input - output) : 0;
}

function isBeside(cached: number, { usage, counts }: ReportedUsage, call: ReportingCall): boolean {
  const { input, output, total } = usage;
  if (total !== null) return total === input + output + cached;
  const isOfAnthropic = /claude|anthropic/i.test(`${usage.model} ${usage.provider}`);
  if (!isOfAnthropic || 'prompt_tokens' in counts || !hasCacheOfAnthropic(counts)) return false;
  const answered = inputAnswered(call.output);
  return answered === null ? input < cached || !addsCache(call.attributes) : answered === input;
}

function hasCacheOfAnthropic(counts: Record<string, unknown>): boolean {
  return 'cache_read_input_tokens' in counts || 'cache_creation_input_tokens' in counts;
}

/** The input tokens in the answer of Anthropic's API; null if the call has another output. */
function inputAnswered(output: string): number | null {
  if (!output.includes('"input_tokens"') || output.length > answerCharsMax) return null;
  try {
    const { usage } = parsePlain(output) as { usage?: { input_tokens?: unknown } };
    return typeof usage?.input_tokens === 'number' ? usage.input_tokens : null;
  } catch {
    return null;
  }
}

const answerCharsMax = 1_000_000;

/** Since version 0.53.2, Weave's SDK for Python adds the cached tokens to the input of Anthropic's answers. */
function addsCache(attributes: string): boolean {
  const [, major, minor, patch] = /"client_version"\s*:\s*"(\d+)\.(\d+)\.(\d+)/.exec(attributes) ?? [];
  return (
    major !== undefined &&
    attributes.includes('python') &&
    (Number(major) > 0 || Number(minor) > 53 || (minor === '53' && Number(patch) >= 2))
  );
}
