import type { Context } from '../../context.ts';
import type { tokenizerInfo as endpoint } from '../../contract/tokenization/tokenizer-info.ts';
import type { Handler } from '../../http/bind.ts';
import { asApiError } from '../inference/generation-errors.ts';
import { openTokenizer } from './open-tokenizer.ts';

export function tokenizerInfo(context: Context): Handler<typeof endpoint> {
  return async ({ query, caller, raw, whenHungUp }) => {
    const request = await openTokenizer(context, { name: query.model, caller, headers: raw.headers });
    const found = await request.describeTokenizer(whenHungUp()).catch(asApiError(raw.log));
    const { bos_token, eos_token, pad_token, unk_token } = found.templateVariables;
    return {
      tokenizer_class: 'PreTrainedTokenizerFast',
      model_max_length: found.contextMax,
      vocab_size: found.vocabularySize,
      chat_template: found.chatTemplate,
      bos_token: bos_token ?? null,
      eos_token: eos_token ?? null,
      pad_token: pad_token ?? null,
      unk_token: unk_token ?? null,
      bos_token_id: found.bosId,
      eos_token_id: found.eosId,
    };
  };
}
