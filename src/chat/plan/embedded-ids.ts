import { setImmediate } from 'node:timers/promises';
import { invalidInput } from '../../util/failures.ts';
import type { ServedText } from '../tokenizer/served-text.ts';
import type { EmbeddingsRequest } from '../types.ts';
import { truncatedPrompt } from './lengths.ts';
import { refuseFarTooLong } from './prompt.ts';

/** The tokens of texts to embed. @throws Failure for a text that is empty, too long, or contains unknown ids */
export async function embeddedIds(
  { inputs, addsSpecialTokens, truncate }: EmbeddingsRequest,
  text: ServedText,
  { contextMax, vocabSize }: { contextMax: number; vocabSize: number },
): Promise<(readonly number[])[]> {
  const texts: (readonly number[])[] = [];
  for (const [index, input] of inputs.entries()) {
    const isText = typeof input === 'string';
    if (isText && truncate === null) await refuseFarTooLong(input, text, contextMax);
    const ids = isText ? text.tokenizer.encode(input, { addSpecialTokens: addsSpecialTokens }) : input;
    const wrong = ids.find((id) => id < 0 || id >= vocabSize);
    if (wrong !== undefined) {
      throw invalidInput(`input[${index}] names the token ${wrong}. The vocabulary has ${vocabSize} tokens, from 0.`, {
        param: 'input',
      });
    }
    const used = truncatedPrompt(ids, truncate, 0, contextMax);
    if (used.length === 0) throw invalidInput(`input[${index}] has no tokens.`, { param: 'input' });
    if (used.length > contextMax) {
      throw invalidInput(
        `This model's maximum context length is ${contextMax} tokens. input[${index}] has ${used.length}. Shorten it, or ` +
          'send truncate_prompt_tokens.',
        { param: 'input' },
      );
    }
    texts.push(used);
    await setImmediate(); // other requests get a turn
  }
  return texts;
}
