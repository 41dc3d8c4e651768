import { ApiError } from '../../contract/errors.ts';
import type { TextCompletionRequest } from '../../contract/text-completions/request.ts';

/** How many choices a prompt has, and of how many these are the best. */
function choicesOf({ n, best_of: best }: TextCompletionRequest): { returned: number; generated: number } {
  return { returned: n ?? 1, generated: best ?? n ?? 1 };
}

/** @throws ApiError 400 for what this endpoint does not do, and for values that contradict each other */
export function checkTextRequest(body: TextCompletionRequest, choicesMax: number): void {
  const { returned, generated } = choicesOf(body);
  const { best_of: best, max_tokens: tokens, echo } = body;
  if (body.suffix) {
    throw refused(
      'suffix',
      'suffix is not supported: the served models do not fill in the middle of a text. Leave it out.',
    );
  }
  if (body.prompt_embeds != null) {
    throw refused('prompt_embeds', 'prompt_embeds is not supported. Send text or token ids as prompt.');
  }
  if (best !== null && best < returned)
    throw refused('best_of', `best_of must be at least n (${returned}), got ${best}.`);
  if (generated > returned) {
    if (body.stream) throw refused('best_of', 'best_of above n cannot be streamed: the best are known at the end.');
    if (body.use_beam_search) throw refused('best_of', 'best_of has no effect with use_beam_search. Leave it out.');
    if (body.temperature === 0) throw refused('best_of', 'best_of must be 1 with greedy sampling (temperature 0).');
  }
  if (tokens === 0 && !echo) throw refused('max_tokens', 'max_tokens must be at least 1; 0 is only for echo.');
  const choices = body.prompt.length * Math.max(generated, 1);
  if (choices > choicesMax) {
    throw refused(
      body.prompt.length > 1 ? 'prompt' : 'n',
      `The ${body.prompt.length} prompts with ${generated} choices each make ${choices}; at most ${choicesMax} may (HEDDLE_CHAT_CHOICES_MAX).`,
    );
  }
}

function refused(param: string, message: string): ApiError {
  return new ApiError(400, message, { param });
}
