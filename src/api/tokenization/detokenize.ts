import type { Context } from '../../context.ts';
import type { detokenize as endpoint } from '../../contract/tokenization/detokenize.ts';
import type { Handler } from '../../http/bind.ts';
import { asApiError } from '../inference/generation-errors.ts';
import { openTokenizer } from './open-tokenizer.ts';

export function detokenize(context: Context): Handler<typeof endpoint> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const request = await openTokenizer(context, { name: body.model, caller, headers: raw.headers });
    const { text } = await request.detokenize({ ids: body.tokens }, whenHungUp()).catch(asApiError(raw.log));
    return { prompt: text };
  };
}
