import type { ChatRequest } from '../../contract/chat/request.ts';
import { invalidInput } from '../../util/failures.ts';
import type { TextRequest } from '../types.ts';

const topLogprobsMax = 20;

/** A step reads twice as many alternatives as there are beams, limited to the number that can be reported. */
export function checkBeamWidth(width: number): void {
  if (width * 2 <= topLogprobsMax) return;
  throw invalidInput(`n must be at most ${topLogprobsMax / 2} with use_beam_search, got ${width}.`, { param: 'n' });
}

/** A beam search uses raw logprobs only. Fields that it would ignore are rejected. */
export function checkBeamFields(body: ChatRequest | TextRequest): void {
  const found = Object.entries(unused).find(([, isUsed]) => isUsed(body));
  if (!found) return;
  throw invalidInput(`${found[0]} has no effect with use_beam_search, so it is refused. Leave it out.`, {
    param: found[0],
  });
}

const isChanged = (value: number | null, neutral: number) => value !== null && value !== neutral;

type Fields = Omit<TextRequest, 'prompt' | 'logprobs'> &
  Partial<Pick<ChatRequest, 'tool_choice' | 'top_logprobs'>> & {
    logprobs: boolean | number | null;
  };

const unused: Record<string, (body: Fields) => boolean> = {
  stop: ({ stop }) => stop !== null && stop.length > 0,
  stop_token_ids: ({ stop_token_ids: ids }) => (ids?.length ?? 0) > 0,
  min_tokens: ({ min_tokens: tokens }) => tokens > 0,
  frequency_penalty: ({ frequency_penalty: penalty }) => isChanged(penalty, 0),
  presence_penalty: ({ presence_penalty: penalty }) => isChanged(penalty, 0),
  repetition_penalty: ({ repetition_penalty: penalty }) => isChanged(penalty, 1),
  logit_bias: ({ logit_bias: bias }) => Object.keys(bias ?? {}).length > 0,
  allowed_token_ids: ({ allowed_token_ids: ids }) => ids !== null,
  bad_words: ({ bad_words: words }) => words.length > 0,
  response_format: ({ response_format: format }) => format !== null && format.type !== 'text',
  structured_outputs: ({ structured_outputs: outputs }) => outputs !== null,
  tool_choice: ({ tool_choice: choice }) => choice !== undefined && choice !== 'none' && choice !== 'auto',
  repetition_detection: ({ repetition_detection: detection }) => (detection?.max_pattern_size ?? 0) > 0,
  prompt_logprobs: ({ prompt_logprobs: top, echo }) => top !== null || echo,
  top_logprobs: ({ top_logprobs: top }) => (top ?? 0) !== 0,
  logprobs: ({ logprobs: top }) => typeof top === 'number' && top !== 0,
};
