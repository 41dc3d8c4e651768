import type { JsonText } from '../../util/json/json-text.ts';
import type { CompletionRecord } from './record.ts';

/** A complete response. */
export type ModelAnswer = {
  /** In the shape of OpenAI's chat completions, exactly as the provider sent it. */
  response: JsonText;
  /** What a call stores: output, attributes, and the usage by model in the summary. */
  record: CompletionRecord;
};

/** A streamed response. */
export type ModelStream = {
  /** Chunks as JSON text, in OpenAI's shape. Reading them throws if the response fails; to stop reading cancels it. */
  chunks: AsyncIterable<string>;
  /** What a call stores of the chunks so far. */
  record(): CompletionRecord;
};
