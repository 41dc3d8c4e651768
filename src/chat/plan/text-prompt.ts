import { invalidInput } from '../../util/failures.ts';
import type { ServedText } from '../tokenizer/served-text.ts';
import type { TextRequest } from '../types.ts';
import { requestedTokens, truncatedPrompt } from './lengths.ts';
import { type Prompt, refuseFarTooLong } from './prompt.ts';
import { checkId } from './token-constraints.ts';

type Context = { text: ServedText; contextMax: number; vocabSize: number };

/** A text prompt: text is used unchanged, without a template, and so are ids. */
export async function textPromptOf(body: TextRequest, { text, contextMax, vocabSize }: Context): Promise<Prompt> {
  const requested = requestedTokens(body, contextMax)?.tokens ?? 0;
  const { prompt, truncate_prompt_tokens: truncate, add_special_tokens: addSpecialTokens } = body;
  if (typeof prompt === 'string' && truncate === null) await refuseFarTooLong(prompt, text, contextMax);
  const ids = typeof prompt === 'string' ? text.tokenizer.encode(prompt, { addSpecialTokens }) : prompt;
  checkPromptIds(ids, vocabSize);
  return { text: '', ids: truncatedPrompt(ids, truncate, requested, contextMax), template: null };
}

/** What `echo` puts before the answer: the text as it was sent, or the text of the ids that are used. */
export function echoedPrompt(body: TextRequest, { ids }: Prompt, { tokenizer }: ServedText): string | null {
  if (!body.echo) return null;
  if (typeof body.prompt === 'string' && body.truncate_prompt_tokens === null) return body.prompt;
  return tokenizer.decode(ids, { skipSpecialTokens: body.skip_special_tokens });
}

/** @param vocabSize infinite if it is not known */
export function checkPromptIds(ids: readonly number[], vocabSize: number): void {
  if (ids.length === 0) throw invalidInput('The prompt has no tokens.', { param: 'prompt' });
  for (const id of ids) checkId(id, vocabSize, 'prompt');
}
