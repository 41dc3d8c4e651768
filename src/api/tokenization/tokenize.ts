import type { Context } from '../../context.ts';
import { type ChatRequest, chatRequest } from '../../contract/chat/request.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import type { tokenize as endpoint } from '../../contract/tokenization/tokenize.ts';
import { validate } from '../../contract/validate.ts';
import type { Handler } from '../../http/bind.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { asApiError } from '../inference/generation-errors.ts';
import { openTokenizer } from './open-tokenizer.ts';

export function tokenize(context: Context): Handler<typeof endpoint> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const request = await openTokenizer(context, { name: body.model, caller, headers: raw.headers });
    const asked = {
      body: body.prompt ?? conversationOf(body),
      addsSpecialTokens: body.add_special_tokens ?? body.prompt !== null,
    };
    const { ids, tokens, contextMax } = await request.tokenize(asked, whenHungUp()).catch(asApiError(raw.log));
    return {
      count: ids.length,
      max_model_len: contextMax,
      tokens: ids,
      token_strs: body.return_token_strs ? tokens : null,
    };
  };
}

/** A chat request with the same template. */
function conversationOf({ prompt: _, return_token_strs: __, ...fields }: Record<string, unknown>): ChatRequest {
  const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
  if (sent.continue_final_message !== true) delete sent.continue_final_message;
  return validate(chatRequest, parseJson(toJson(sent), { keep: keepTreeOf(chatRequest) }), 'body');
}
