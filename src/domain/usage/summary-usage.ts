import { parseLossless } from '../../util/json/lossless.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { CallUsage, PricedPart } from './call-usage.ts';
import { includeApart } from './include-apart.ts';
import type { ReportedUsage, ReportingCall } from './reported-usage.ts';
import { addTerms } from './terms-of-call.ts';

/**
 * The tokens that a call reports by model. Tokens under both of their names are added, details are read under the names of
 * OpenAI's, Anthropic's and Google's APIs, whose usage the SDKs store as it is.
 */
export function usageOfCall(call: ReportingCall): CallUsage[] {
  const usage = membersOf(membersOf(parse(call.summary)).usage);
  return Object.entries(usage).map(([model, value]) => {
    const reported = reportedUsage(model.toWellFormed(), membersOf(value), call.mapperVersion > 0);
    if (call.mapperVersion === 0) reported.usage = includeApart(reported, call);
    return addTerms(reported, call);
  });
}

/** Whether a summary has a count of tokens that is not zero: all others need not be parsed. */
export function reportsTokens(summary: string): boolean {
  return countThatMatters.test(summary);
}

const countThatMatters = /_tokens"\s*:\s*(?!0[,}\s]|null|\s)/;

/** `NaN` and `Infinity`, which Python's SDK writes, are not JSON. */
function parse(summary: string): unknown {
  try {
    return parsePlain(summary);
  } catch {
    return plain(parseLossless(summary));
  }
}

function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, member]) => [key, plain(member)]));
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Number(value) : value;
}

function reportedUsage(model: string, counts: Record<string, unknown>, isSpan: boolean): ReportedUsage {
  let ignored = Array.isArray(counts.ignored_counts) ? counts.ignored_counts.length : 0;
  const checked = (value: unknown) => {
    const isCount = Number.isSafeInteger(value) && (value as number) >= 0;
    if (isSent(value) && !isCount) ignored++;
    return isCount ? (value as number) : null;
  };
  const count = (name: string) => checked(counts[name]);
  const first = (paths: readonly Path[]) => {
    for (const path of paths) {
      const found = checked(valueAt(counts, path));
      if (found) return found;
    }
    return 0;
  };
  const text = (name: string) => (typeof counts[name] === 'string' ? counts[name].toWellFormed() : '');
  const usage: CallUsage = {
    model,
    provider: text('provider'),
    tracer: isSpan ? text('tracer') : null,
    requests: count('requests') ?? 0,
    input: (count('prompt_tokens') ?? 0) + (count('input_tokens') ?? 0),
    output: (count('completion_tokens') ?? 0) + (count('output_tokens') ?? 0),
    total: count('total_tokens'),
    cacheRead: first(cacheReadPaths),
    cacheCreation: count('cache_creation_input_tokens') ?? 0,
    parts: {},
  };
  for (const [part, paths] of mayHaveParts(counts) ? partPaths : []) {
    const found = first(paths);
    if (found > 0) usage.parts[part] = found;
  }
  if (ignored > 0) usage.parts.ignored_counts = ignored;
  return { usage, counts };
}

/** Spares most calls the search for parts: they report nothing but the sums. */
function mayHaveParts(counts: Record<string, unknown>): boolean {
  for (const name in counts) if (!namesOfSums.has(name)) return true;
  return false;
}

/** A number, or text that is meant to be one. */
function isSent(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}

/** A name, or the names on the way to a detail. */
type Path = string | string[];

const cacheReadPaths = [
  'cache_read_input_tokens',
  'prompt_tokens_details.cached_tokens',
  'input_tokens_details.cached_tokens',
  'input_token_details.cached_tokens',
  'prompt_cache_hit_tokens',
  'cached_tokens',
].map(pathOf);

const partNames: Record<PricedPart, readonly string[]> = {
  cache_creation_1h: ['cache_creation_1h_input_tokens', 'cache_creation.ephemeral_1h_input_tokens'],
  ...{ input_audio: detailNames('input', 'audio'), output_audio: detailNames('output', 'audio') },
  ...{ input_image: detailNames('input', 'image'), output_image: detailNames('output', 'image') },
  ...{ input_video: detailNames('input', 'video'), output_video: detailNames('output', 'video') },
  cached_audio: ['cached_audio_tokens', 'input_token_details.cached_tokens_details.audio_tokens'],
  cached_image: ['cached_image_tokens', 'input_token_details.cached_tokens_details.image_tokens'],
  reasoning: ['reasoning_tokens', 'thoughts_tokens', ...detailNames('output', 'reasoning').slice(1)],
  web_searches: ['server_tool_use.web_search_requests', 'num_search_queries'],
};

const partPaths = Object.entries(partNames).map(([part, names]) => [part as PricedPart, names.map(pathOf)] as const);

/** What has a field of its own, and whom it is of. */
const namesOfSums = new Set([
  ...['requests', 'prompt_tokens', 'input_tokens', 'completion_tokens', 'output_tokens', 'total_tokens'],
  ...['cache_read_input_tokens', 'cache_creation_input_tokens', 'provider', 'tracer', 'ignored_counts'],
  ...['service_tier', 'inference_geo', 'speed', 'other_fees'],
]);

function pathOf(dotted: string): Path {
  return dotted.includes('.') ? dotted.split('.') : dotted;
}

function detailNames(direction: 'input' | 'output', kind: string): string[] {
  const other = direction === 'input' ? 'prompt' : 'completion';
  return [
    `${direction}_${kind}_tokens`,
    `${other}_tokens_details.${kind}_tokens`,
    `${direction}_tokens_details.${kind}_tokens`,
    `${direction}_token_details.${kind}_tokens`,
  ];
}

function valueAt(counts: Record<string, unknown>, path: Path): unknown {
  if (typeof path === 'string') return counts[path];
  let value: unknown = counts;
  for (const key of path) {
    if (!isObject(value)) return undefined;
    value = value[key];
  }
  return value;
}

function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? (value as Record<string, unknown>) : {};
}
