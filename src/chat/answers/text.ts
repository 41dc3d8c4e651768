import type { TextCompletionRequest } from '../../contract/text-completions/request.ts';
import type { TextGeneration } from '../types.ts';

/** One request that continues prompts, with its answers in progress. */
export type TextCompletionUnderWay = {
  id: string;
  /** Seconds since 1970. */
  created: number;
  body: Pick<TextCompletionRequest, 'stream_options' | 'logprobs' | 'echo' | 'max_tokens'>;
  /** One for each prompt. */
  generations: readonly TextGeneration[];
  /** How many choices of each generation are returned: the best ones. */
  returned: number;
  shown: TextShown;
};

/** Which parts of an answer are returned. The recorded call has all of them. */
export type TextShown = { ids: boolean; promptIds: boolean; logprobs: boolean };

/** The answer is only the prompt with its logprobs; the single generated token is not part of it. */
export function isPromptOnly({ echo, max_tokens }: TextCompletionUnderWay['body']): boolean {
  return echo && max_tokens === 0;
}
