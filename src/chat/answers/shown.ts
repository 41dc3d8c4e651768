import type { ChatRequest } from '../../contract/chat/request.ts';
import type { TextGeneration } from '../types.ts';

/** Which parts of an answer are returned. The recorded call has all of them. */
export type Shown = {
  ids: boolean;
  promptIds: boolean;
  logprobs: boolean;
  reasoning: boolean;
  /** Whether each choice has the fields that training needs besides its tokens. */
  training: boolean;
};

export const everything: Shown = { ids: true, promptIds: true, logprobs: true, reasoning: true, training: false };

/** What the request asks for; trained models always return tokens and logprobs. */
export function shownIn(body: ChatRequest, { reasons }: Pick<TextGeneration, 'reasons'>, fromArtifact: boolean): Shown {
  // Tokens would reveal hidden reasoning.
  const hides = reasons && !body.include_reasoning;
  const ids = body.return_token_ids === true || fromArtifact;
  return {
    ids: ids && !hides,
    promptIds: ids,
    logprobs: (body.logprobs === true || fromArtifact) && !hides,
    reasoning: !hides,
    training: fromArtifact && !hides,
  };
}
