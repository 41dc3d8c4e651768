import type { RawSpan } from '../raw-span.ts';
import { type Tree, valueAt } from '../tree.ts';

/**
 * Where one convention of naming attributes puts what a call is made of. Every list is in order: the first source
 * that has a value wins (`conventions.ts` says which convention is asked first).
 */
export type Convention = {
  inputs?: Source[];
  output?: Source[];
  usage?: Partial<Record<UsageCount, Source[]>>;
  /** Members of the call's `attributes`, by their name there. */
  attributes?: Record<string, Source[]>;
  /** As `attributes`, but of any span whatsoever: alone they do not tell that a span was understood. */
  labels?: Record<string, Source[]>;
  threadId?: Source[];
  displayName?: Source[];
  /** What kind of call it is, in the convention's own words (`kind.ts` knows them). */
  kind?: Source[];
  /** The name of a tool, on spans that call one. */
  toolName?: Source[];
  /** The messages of a request to a model. On spans of that kind they are asked for before `inputs` and `output`. */
  inputMessages?: Source[];
  outputMessages?: Source[];
  /** The system prompt, where it comes apart from the messages. */
  instructions?: Source[];
};

/** Tokens that are part of the counts above and may have a price of their own. */
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

/** A place where a value may be, and the name under which it is shown in inputs and output. */
export type Source = {
  key: string;
  /** The value itself becomes the inputs (where it is an object) or the output. */
  isWhole?: boolean;
  /** The key at the top of the attributes without which there is no value; without it the source is always asked. */
  root?: string;
  /** The key below it, without which there is no value either. */
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
