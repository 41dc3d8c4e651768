import type { RawSpan } from '../raw-span.ts';
import { EmbeddedJson, opened, type Tree, type TreeObject, valueAt } from '../tree.ts';
import type { UsageCount } from './convention.ts';
import { countOf } from './count.ts';
import type { SpanUsage } from './span-usage.ts';

/**
 * Adds the token counts of a complete response of Google's API, in either spelling, if the span contains that response.
 * In it, the output excludes thoughts and the input excludes tool results, and most tracers copy these counts; both are
 * billed.
 */
export function addAnswerOfGoogle(usage: SpanUsage, { attributes: { tree } }: RawSpan): void {
  const answer = usageMetadata(tree);
  if (answer === null) return;
  const of = (name: string) => countIn(answer, name);
  const [prompt, candidates, thoughts, ofTools] = [
    of('prompt_token_count'),
    of('candidates_token_count'),
    of('thoughts_token_count') ?? 0,
    of('tool_use_prompt_token_count') ?? 0,
  ];
  const input = usage.input_tokens === null && usage.prompt_tokens !== null ? 'prompt_tokens' : 'input_tokens';
  const output =
    usage.output_tokens === null && usage.completion_tokens !== null ? 'completion_tokens' : 'output_tokens';
  if (prompt !== null && (usage[input] ?? prompt) === prompt) usage[input] = prompt + ofTools;
  if ((usage[output] ?? candidates ?? 0) === (candidates ?? 0)) usage[output] = (candidates ?? 0) + thoughts;
  if (thoughts > 0) usage.reasoning_tokens ??= thoughts;
  usage.total_tokens ??= of('total_token_count');
  usage.cache_read_input_tokens ??= of('cached_content_token_count');
  for (const [list, modality, name] of modalities) usage[name] ??= countOfModality(answer, list, modality);
}

/** Where conventions store a response, or part of it. */
const answers = [
  ['ai', 'response', 'providerMetadata', 'google', 'usageMetadata'],
  ['ai', 'response', 'providerMetadata', 'vertex', 'usageMetadata'],
  ['ai', 'response', 'providerMetadata', 'googleVertex', 'usageMetadata'],
  ['gcp', 'vertex', 'agent', 'llm_response', 'usage_metadata'],
  ['output', 'value', 'usage_metadata'],
  ['output', 'value', 'usageMetadata'],
  ['mlflow', 'spanOutputs', 'usage_metadata'],
];

function usageMetadata(tree: TreeObject): TreeObject | null {
  for (const path of answers) {
    if (!tree.has(path[0]!) || !mayHave(tree, path)) continue;
    const found = opened(valueAt(tree, path));
    if (found instanceof Map) return found;
  }
  return null;
}

/** Avoids parsing other responses. */
function mayHave(tree: TreeObject, path: string[]): boolean {
  const member = path.at(-1)!;
  for (let end = 1; end < path.length; end++) {
    const value = valueAt(tree, path.slice(0, end));
    if (value instanceof EmbeddedJson) return value.text.includes(`"${member}"`);
    if (!(value instanceof Map)) return false;
  }
  return true;
}

function countIn(answer: TreeObject, name: string): number | null {
  return countOf(memberOf(answer, name) ?? null);
}

/** In the spelling of the Python package, or of the API: `promptTokenCount`. */
function memberOf(object: TreeObject, name: string): Tree | undefined {
  return object.get(name) ?? object.get(name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
}

const modalities: [list: string, modality: string, name: UsageCount][] = [
  ['prompt_tokens_details', 'AUDIO', 'input_audio_tokens'],
  ['prompt_tokens_details', 'IMAGE', 'input_image_tokens'],
  ['prompt_tokens_details', 'VIDEO', 'input_video_tokens'],
  ['cache_tokens_details', 'AUDIO', 'cached_audio_tokens'],
  ['cache_tokens_details', 'IMAGE', 'cached_image_tokens'],
  ['candidates_tokens_details', 'AUDIO', 'output_audio_tokens'],
  ['candidates_tokens_details', 'IMAGE', 'output_image_tokens'],
  ['candidates_tokens_details', 'VIDEO', 'output_video_tokens'],
];

function countOfModality(answer: TreeObject, list: string, modality: string): number | null {
  const entries = opened(memberOf(answer, list));
  if (!Array.isArray(entries)) return null;
  for (const entry of entries) {
    const opensTo = opened(entry);
    if (opensTo instanceof Map && opensTo.get('modality') === modality) return countIn(opensTo, 'token_count');
  }
  return null;
}
