import { JsonNumber } from '../../util/json/lossless.ts';
import type { RawSpan } from '../raw-span.ts';
import {
  EmbeddedJson,
  isTruthy,
  opened,
  plainText,
  type Tree,
  type TreeObject,
  valueAt,
  wholeNumber,
} from '../tree.ts';
import { type UsageCount, usageCounts } from './convention.ts';
import { type Found, findFirst, type NamedSource, sourcesOf } from './find.ts';

/** What was counted; a count that is not reported is null. */
export type Usage = Record<UsageCount, number | null>;

/** The counts, and where each of them was found. */
export type FoundUsage = { usage: Usage; found: Map<UsageCount, Found> };

/** Where each count may be. */
export const usageSources = usageCounts.map((name) => [name, sourcesOf(({ usage }) => usage?.[name])] as const);

/** The counts of a span; null when it reports none. */
export function usageOf(span: RawSpan): FoundUsage | null {
  const usage = Object.fromEntries(usageCounts.map((name) => [name, null])) as Usage;
  const found = new Map<UsageCount, Found>();
  for (const [name, of] of usageSources) {
    const first = findFirst(span, of, isCount);
    if (first === null) continue;
    usage[name] = wholeNumber(first.value);
    found.set(name, first);
  }
  if (found.size === 0) return null;
  addDetails(usage, found, span);
  countOnce(usage, found, 'input_tokens', 'prompt_tokens');
  countOnce(usage, found, 'output_tokens', 'completion_tokens');
  includeCache(usage, found, span);
  usage.total_tokens ??=
    sum(usage.prompt_tokens, usage.completion_tokens) ?? sum(usage.input_tokens, usage.output_tokens);
  return { usage, found };
}

/** Zero counts, `false` and the empty text do not. */
function isCount(value: Tree): boolean {
  return isTruthy(value) || (value instanceof JsonNumber && value.text === '0');
}

/**
 * A price is paid for input and prompt tokens together. A span often reports one count by its two names, of one convention
 * or of two: one of them stands, the standard's where there is one, and of its two names the newer.
 */
function countOnce(usage: Usage, found: Map<UsageCount, Found>, name: UsageCount, otherName: UsageCount): void {
  if (usage[name] === null || usage[otherName] === null) return;
  const isStandard = (each: UsageCount) => found.get(each)!.source.key.startsWith('gen_ai.');
  const dropped = isStandard(otherName) && !isStandard(name) ? name : otherName;
  usage[dropped] = null;
  found.delete(dropped);
}

/**
 * Tokens of reasoning and of the cache in spellings that no table names: they are below the same key as the other counts,
 * and their names say what they are.
 */
function addDetails(usage: Usage, found: Map<UsageCount, Found>, { attributes: { tree } }: RawSpan): void {
  const missing = details.filter(([name]) => usage[name] === null);
  if (missing.length === 0) return;
  for (const root of detailRoots) {
    if (!tree.has(root[0]!)) continue;
    if (answers.has(root) && !mayHaveUsage(tree, root)) continue;
    const counts = opened(valueAt(tree, root));
    if (!(counts instanceof Map)) continue;
    for (const [key, value] of leaves(counts)) {
      if (answers.has(root) && !ofDetails.test(key)) continue;
      const count = wholeNumber(value);
      const named = missing.find(([, pattern]) => pattern.test(key));
      if (count === null || !named || usage[named[0]]! > 0) continue;
      usage[named[0]] = count;
      found.set(named[0], { source: bySpelling([...root, key].join('.')), value });
    }
  }
}

/** Spares the parsing of answers that have no usage. Those of stored spans are parsed already. */
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

const details: [name: UsageCount, pattern: RegExp][] = [
  ['reasoning_tokens', /reasoning|thought|thinking/i],
  ['cache_creation_input_tokens', /cache.*(creat|writ)|(creat|writ).*cache/i],
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
 * Whole answers of OpenAI's API. Only their details are read, which are part of the other counts: Anthropic's tokens of the
 * cache are not.
 */
const answerRoots = [
  ['mlflow', 'spanOutputs', 'usage'],
  ['output', 'value', 'usage'],
];
const answers = new Set(answerRoots);
const detailRoots = [...usageRoots, ...answerRoots];
const ofDetails = /_tokens_details\./;

/** The values of a tree with all of their keys. */
function* leaves(tree: TreeObject, prefix = ''): Generator<[key: string, value: Tree]> {
  for (const [name, value] of tree) {
    const inner = opened(value);
    if (inner instanceof Map) yield* leaves(inner, `${prefix}${name}.`);
    else yield [prefix + name, value];
  }
}

/**
 * A price counts the tokens of the cache as part of the input. Where a sender clearly counts them beside it, since they are
 * more than the input or only together make up the total, they are added. Instrumentations of Bedrock write the counts of its
 * answers, which are beside each other.
 */
function includeCache(usage: Usage, found: Map<UsageCount, Found>, span: RawSpan): void {
  const name = usage.input_tokens === null ? 'prompt_tokens' : 'input_tokens';
  const [input, output] = [usage[name], usage.output_tokens ?? usage.completion_tokens];
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  if (input === null || cached === 0) return;
  const isOfBedrock = found.get(name)?.source.key.startsWith('gen_ai.') && /bedrock|^aws$/i.test(providerOf(span));
  const isBeside = isOfBedrock || input < cached || (output !== null && usage.total_tokens === input + output + cached);
  if (!isBeside) return;
  if (output !== null && usage.total_tokens === input + output) usage.total_tokens += cached;
  usage[name] = input + cached;
}

function providerOf({ attributes: { tree } }: RawSpan): string {
  const genAi = (name: string) => plainText(valueAt(tree, ['gen_ai', ...name.split('.')]));
  return genAi('provider.name') || genAi('system');
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
