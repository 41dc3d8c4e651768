import type { RawSpan } from '../raw-span.ts';
import { EmbeddedJson, opened, type Tree, type TreeObject, valueAt } from '../tree.ts';
import { addAnswerOfGoogle } from './answer-of-google.ts';
import { type UsageCount, usageCounts } from './convention.ts';
import { countOf, isCount, isNoCount } from './count.ts';
import { type Found, findFirst, type NamedSource, sourcesOf } from './find.ts';
import { includeBuckets, includeCache, includeRest } from './include-in-usage.ts';
import type { SpanUsage } from './span-usage.ts';

/** The counts, where each was found, and which were sent but are not valid token counts. */
export type FoundUsage = { usage: SpanUsage; found: Map<UsageCount, Found>; ignored: UsageCount[] };

/** Where each count may be. */
export const usageSources = usageCounts.map((name) => [name, sourcesOf(({ usage }) => usage?.[name])] as const);

const nothing = Object.fromEntries(usageCounts.map((name) => [name, null])) as SpanUsage;

/** The counts of a span; null if it reports none. */
export function usageOf(span: RawSpan): FoundUsage | null {
  const usage = { ...nothing };
  const found = new Map<UsageCount, Found>();
  const ignored: UsageCount[] = [];
  for (const [name, of] of usageSources) {
    let isIgnored = false;
    const first = findFirst(span, of, (value) => {
      isIgnored ||= isNoCount(value);
      return isCount(value);
    });
    if (first === null && isIgnored) ignored.push(name);
    if (first === null) continue;
    usage[name] = countOf(first.value);
    found.set(name, first);
  }
  if (found.size === 0 && ignored.length === 0) return null;
  addDetails(usage, found, span);
  countOnce(usage, found, 'input_tokens', 'prompt_tokens');
  countOnce(usage, found, 'output_tokens', 'completion_tokens');
  addAnswerOfGoogle(usage, span);
  includeBuckets(usage, found);
  includeCache(usage, found, span);
  includeRest(usage);
  usage.total_tokens ??=
    sum(usage.prompt_tokens, usage.completion_tokens) ?? sum(usage.input_tokens, usage.output_tokens);
  return { usage, found, ignored };
}

/**
 * Input and prompt tokens are billed together. A span often reports one count under both names, of one or two
 * conventions. One of them is used: the standard's if there is one, and the newer of its two names.
 */
function countOnce(usage: SpanUsage, found: Map<UsageCount, Found>, name: UsageCount, otherName: UsageCount): void {
  if (usage[name] === null || usage[otherName] === null) return;
  const isStandard = (each: UsageCount) => found.get(each)!.source.key.startsWith('gen_ai.');
  const dropped = isStandard(otherName) && !isStandard(name) ? name : otherName;
  usage[dropped] = null;
  found.delete(dropped);
}

/**
 * Details in spellings that no table lists: they are below the same key as the other counts, and their names identify
 * them.
 */
function addDetails(usage: SpanUsage, found: Map<UsageCount, Found>, { attributes: { tree } }: RawSpan): void {
  for (const root of detailRoots) {
    if (!tree.has(root[0]!)) continue;
    if (answers.has(root) && !mayHaveUsage(tree, root)) continue;
    const counts = opened(valueAt(tree, root));
    if (!(counts instanceof Map)) continue;
    for (const [key, value] of leaves(counts)) {
      if (!mayBeDetail.test(key) || (answers.has(root) && !ofDetails.test(key))) continue;
      const count = isCount(value) ? countOf(value) : null;
      const name = count === null ? undefined : details.find(([, pattern]) => pattern.test(key))?.[0];
      if (count === null || !name || found.has(name) || usage[name]! > 0) continue;
      usage[name] = count;
      found.set(name, { source: bySpelling([...root, key].join('.')), value });
    }
  }
}

/** Avoids parsing responses without usage. Those of stored spans are already parsed. */
function mayHaveUsage(tree: TreeObject, root: string[]): boolean {
  const answer = valueAt(tree, root.slice(0, -1));
  return answer instanceof EmbeddedJson ? answer.text.includes('"usage"') : answer instanceof Map;
}

function bySpelling(key: string): NamedSource {
  return {
    key,
    convention: 'the spelling of the key',
    read: ({ attributes: { tree } }) => valueAt(tree, key.split('.')),
  };
}

/** Avoids matching the other patterns. */
const mayBeDetail = /cache|audio|image|reason|thought|thinking|1h|hour/i;

/** The first matching pattern determines what a key counts. */
const details: [name: UsageCount, pattern: RegExp][] = [
  ['cache_creation_1h_input_tokens', /1h|one_?hour/i],
  ['cached_audio_tokens', /cache.*audio|audio.*cache/i],
  ['output_audio_tokens', /(output|completion|candidate).*audio|audio.*(output|completion)/i],
  ['input_audio_tokens', /(input|prompt).*audio|audio.*(input|prompt)/i],
  ['cached_image_tokens', /cache.*image|image.*cache/i],
  ['output_image_tokens', /(output|completion|candidate).*image|image.*(output|completion)/i],
  ['input_image_tokens', /(input|prompt).*image|image.*(input|prompt)/i],
  ['reasoning_tokens', /reasoning|thought|thinking/i],
  ['cache_creation_input_tokens', /^(?!.*5m).*(cache.*(creat|writ)|(creat|writ).*cache)/i],
  ['cache_read_input_tokens', /cache.*(read|hit)|(read|hit).*cache|cached(?!.*(creat|writ))/i],
];

const usageRoots = [
  ...[['gen_ai', 'usage'], ['llm', 'token_count'], ['llm', 'usage'], ['ai', 'usage'], ['usage']],
  ...[
    ['langfuse', 'observation', 'usage_details'],
    ['mlflow', 'chat', 'tokenUsage'],
    ['langsmith', 'metadata', 'usage_metadata'],
  ],
];

/**
 * Complete responses of OpenAI's API. Only the details are read that are included in other counts; Anthropic's cached
 * tokens are not.
 */
const answerRoots = [
  ['mlflow', 'spanOutputs', 'usage'],
  ['output', 'value', 'usage'],
];
const answers = new Set(answerRoots);
const detailRoots = [...usageRoots, ...answerRoots];
const ofDetails = /_tokens_details\.|ephemeral_1h/;

/** The values of a tree with all of their keys. */
function* leaves(tree: TreeObject, prefix = ''): Generator<[key: string, value: Tree]> {
  for (const [name, value] of tree) {
    const inner = opened(value);
    if (inner instanceof Map) yield* leaves(inner, `${prefix}${name}.`);
    else yield [prefix + name, value];
  }
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
