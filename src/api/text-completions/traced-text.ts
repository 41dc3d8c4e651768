import type { TextCompletionUnderWay } from '../../chat/answers/text.ts';
import type { TextAnswer } from '../../chat/answers/text-answer.ts';
import { JsonText } from '../../util/json/json-text.ts';
import type { TracedAnswer } from '../inference/trace.ts';

export const textOpName = 'heddle.completions';

const everything = { ids: true, promptIds: true, logprobs: true };

/**
 * How a completion is stored in its call: `output` is the whole completion, with all ids and logprobs;
 * `attributes.heddle.sampling` has the values used for the first prompt, and `seeds` the seed of each prompt's first choice.
 */
export function tracedText(answer: TextAnswer, { generations }: TextCompletionUnderWay): TracedAnswer {
  const seeds = generations.map(({ settings }) => new JsonText(String(settings.seed)));
  const { prompt_tokens_details: _, ...usage } = answer.usage;
  return {
    output: () => answer.completion(everything),
    attributes: () => ({ sampling: { ...generations[0]!.settings, seed: seeds[0] }, seeds }),
    usage,
    bytes: answer.bytes,
  };
}
