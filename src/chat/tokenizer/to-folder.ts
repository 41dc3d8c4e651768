import { type GgufMetadata, tokenizerJsonOfGguf } from './from-gguf.ts';
import { generationConfigOfGguf } from './generation-config.ts';
import { modelTextOfGguf } from './model-text.ts';

/** The text part of a GGUF file as the files of a Hugging Face folder, and the tokens that `config.json` names. */
export function textFilesOfGguf(metadata: GgufMetadata, contextMax: number) {
  const { bosId, eosId, chatTemplates, templateVariables, tokenizer } = modelTextOfGguf(metadata);
  const padToken = templateVariables.pad_token;
  const padId = padToken === undefined ? null : (tokenizer.idOf(padToken) ?? null);
  const tokens = {
    ...(bosId === null ? {} : { bos_token_id: bosId }),
    ...(eosId === null ? {} : { eos_token_id: eosId }),
    ...(padId === null ? {} : { pad_token_id: padId }),
  };
  const { sampling, eosIds } = generationConfigOfGguf(metadata);
  const ends = [...new Set([...(eosId === null ? [] : [eosId]), ...eosIds])];
  const json = tokenizerJsonOfGguf(metadata);
  const plain = { single_word: false, lstrip: false, rstrip: false };
  return {
    tokens,
    files: {
      'tokenizer.json': {
        version: '1.0',
        truncation: null,
        padding: null,
        ...json,
        added_tokens: json.added_tokens.map((token) => ({ ...plain, ...token })),
      },
      'tokenizer_config.json': {
        ...templateVariables,
        ...chatTemplateField(chatTemplates),
        clean_up_tokenization_spaces: false,
        model_max_length: contextMax,
        tokenizer_class: 'PreTrainedTokenizerFast',
      },
      'generation_config.json': { ...tokens, ...(ends.length > 1 ? { eos_token_id: ends } : {}), ...sampling },
    },
  };
}

function chatTemplateField(templates: ReadonlyMap<string, string>) {
  const only = templates.size === 1 ? templates.get('default') : undefined;
  if (only !== undefined) return { chat_template: only };
  if (templates.size === 0) return {};
  return { chat_template: [...templates].map(([name, template]) => ({ name, template })) };
}
