import type { Context } from '../../context.ts';
import type { detokenize as endpoint } from '../../contract/tokenization/detokenize.ts';
import type { Handler } from '../../http/bind.ts';
import { toApiError } from '../inference/generation-errors.ts';
import { openTokenizer } from './open-tokenizer.ts';

export function detokenize(context: Context): Handler<typeof endpoint> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const { model, tenant } = await openTokenizer(context, { name: body.model, caller, headers: raw.headers });
    const request = { tenant, ids: body.tokens };
    const { text } = await context.inference.detokenize(model, request, whenHungUp()).catch((error) => {
      throw toApiError(error, raw.log);
    });
    return { prompt: text };
  };
}
