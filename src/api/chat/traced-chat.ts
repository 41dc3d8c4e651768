import type { GatheredAnswer } from '../../chat/answers/answer.ts';
import { everything } from '../../chat/answers/shown.ts';
import { JsonText } from '../../util/json/json-text.ts';
import type { TracedAnswer } from '../inference/trace.ts';

export const chatOpName = 'heddle.chat.completions';

/**
 * What the call of a chat contains, for training on it:
 * - `output`: the answer in the shape of a whole completion, streamed or not, with everything in it, asked for or not:
 *   `prompt_token_ids`, and for each of `choices` `token_ids` and `logprobs.content`, one entry for each id.
 * - `attributes.heddle.sampling`: the values used, whoever gave them, and the seed of the first choice.
 */
export function tracedChat(answer: GatheredAnswer): TracedAnswer {
  const { settings } = answer;
  const { prompt_tokens_details: _, ...usage } = answer.usage;
  return {
    output: () => answer.completion(everything),
    attributes: () => ({ sampling: { ...settings, seed: new JsonText(String(settings.seed)) } }),
    usage,
    bytes: answer.bytes,
  };
}
