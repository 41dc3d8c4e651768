import type { RawSpan } from '../raw-span.ts';
import { type Tree, valueAt } from '../tree.ts';

/**
 * Where one convention stores the fields of a call. Every list is ordered: the first source with a value wins
 * (`conventions.ts` defines the order of the conventions).
 */
export type Convention = {
  inputs?: Source[];
  output?: Source[];
  usage?: Partial<Record<UsageCount, Source[]>>;
  /** Members of the call's `attributes`, by their name there. */
  attributes?: Record<string, Source[]>;
  /** Like `attributes`, but for any span: having only these does not mean that a span was recognized. */
  labels?: Record<string, Source[]>;
  threadId?: Source[];
  displayName?: Source[];
  /** The kind of the call, in the convention's own words (`kind.ts` translates them). */
  kind?: Source[];
  /** The name of a tool, on spans that call one. */
  toolName?: Source[];
  /** The messages of a model request. On spans of this kind, they are read before `inputs` and `output`. */
  inputMessages?: Source[];
  outputMessages?: Source[];
  /** The system prompt, if it is separate from the messages. */
  instructions?: Source[];
};

/** Tokens that are included in the counts above and may have a price of their own. */
const partsOfCounts = [
  'cache_creation_1h_input_tokens',
  'input_audio_tokens',
  'cached_audio_tokens',
  'output_audio_tokens',
  'input_image_tokens',
  'cached_image_tokens',
  'output_image_tokens',
  'input_video_tokens',
  'output_video_tokens',
] as const;

export const usageCounts = [
  'input_tokens',
  'output_tokens',
  'completion_tokens',
  'prompt_tokens',
  'total_tokens',
  'requests',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'reasoning_tokens',
  ...partsOfCounts,
] as const;
export type UsageCount = (typeof usageCounts)[number];

/** A place where a value may be, and its name in inputs and output. */
export type Source = {
  key: string;
  /** The value itself becomes the inputs (if it is an object) or the output. */
  isWhole?: boolean;
  /** The top-level attribute without which there is no value; if not set, the source is always read. */
  root?: string;
  /** The key below it without which there is no value either. */
  second?: string;
  /** The value is in the events of the span. */
  ofEvents?: boolean;
  read(span: RawSpan): Tree | undefined;
};

/** The attribute, or all attributes below it. */
export function attribute(key: string): Source {
  const path = key.split('.');
  return {
    key,
    root: path[0]!,
    second: path[1],
    read: ({ attributes: { tree } }) => tree.get(key) ?? valueAt(tree, path),
  };
}

export function attributes(...keys: string[]): Source[] {
  return keys.map(attribute);
}
