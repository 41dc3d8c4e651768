import { sequence } from './exact-pre-tokenizer.ts';
import { wordsByName } from './gguf-words.ts';
import { mergesOfScores } from './sentencepiece-merges.ts';
import type { AddedToken, Component, TokenizerJson } from './tokenizer-json.ts';

/** The metadata of a GGUF file, as `@huggingface/gguf` reads it. */
export type GgufMetadata = Record<string, unknown>;

/** The `tokenizer.json` that corresponds to a GGUF file's metadata. */
export function tokenizerJsonOfGguf(metadata: GgufMetadata): TokenizerJson {
  const model = metadata['tokenizer.ggml.model'];
  if (model === 'gpt2') return byteLevelTokenizer(metadata);
  if (model === 'llama') return sentencepieceTokenizer(metadata);
  throw new Error(`This GGUF file has the tokenizer model ${JSON.stringify(model)}. heddle reads gpt2 and llama.`);
}

function byteLevelTokenizer(metadata: GgufMetadata): TokenizerJson {
  const name = String(metadata['tokenizer.ggml.pre'] ?? 'gpt-2');
  const words = wordsByName[name];
  if (!words) {
    const known = Object.keys(wordsByName).join(', ');
    throw new Error(
      `This GGUF file cuts words as ${JSON.stringify(name)} (tokenizer.ggml.pre). heddle knows ${known}.`,
    );
  }
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
  return {
    normalizer: words.normalizer ?? null,
    pre_tokenizer: sequence([...words.steps, byteLevel]),
    post_processor: postProcessor(metadata, words.addsBos ?? false),
    decoder: byteLevel,
    added_tokens: addedTokens(metadata),
    model: {
      type: 'BPE',
      vocab: vocabularyOf(metadata),
      merges: metadata['tokenizer.ggml.merges'] as string[],
      ignore_merges: words.ignoresMerges ?? false,
    },
  };
}

function sentencepieceTokenizer(metadata: GgufMetadata): TokenizerJson {
  const tokens = tokensOf(metadata);
  const addsSpace = metadata['tokenizer.ggml.add_space_prefix'] !== false;
  const prepend = addsSpace ? [{ type: 'Prepend', prepend: '▁' }] : [];
  const strip = addsSpace ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : [];
  return {
    normalizer: {
      type: 'Sequence',
      normalizers: [...prepend, { type: 'Replace', pattern: { String: ' ' }, content: '▁' }],
    },
    pre_tokenizer: null,
    post_processor: postProcessor(metadata, true),
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        ...strip,
      ],
    },
    added_tokens: addedTokens(metadata),
    model: {
      type: 'BPE',
      vocab: vocabularyOf(metadata),
      merges: mergesOfScores(tokens, metadata['tokenizer.ggml.scores'] as ArrayLike<number>),
      unk_token: tokens[Number(metadata['tokenizer.ggml.unknown_token_id'] ?? 0)],
      fuse_unk: true,
      byte_fallback: true,
    },
  };
}

/** Types of tokens in GGUF files. */
export const tokenTypes = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 };

function addedTokens(metadata: GgufMetadata): AddedToken[] {
  const types = metadata['tokenizer.ggml.token_type'] as ArrayLike<number> | undefined;
  if (!types) return [];
  const tokens = tokensOf(metadata);
  return tokens.flatMap((content, id) => {
    const type = types[id];
    const isUnknown = type === tokenTypes.unknown && metadata['tokenizer.ggml.model'] === 'llama';
    if (type !== tokenTypes.control && type !== tokenTypes.userDefined && !isUnknown) return [];
    return [{ id, content, special: type !== tokenTypes.userDefined, normalized: false }];
  });
}

function tokensOf(metadata: GgufMetadata): string[] {
  return metadata['tokenizer.ggml.tokens'] as string[];
}

function vocabularyOf(metadata: GgufMetadata): Record<string, number> {
  return Object.fromEntries(tokensOf(metadata).map((token, id) => [token, id]));
}

function postProcessor(metadata: GgufMetadata, addsBosByDefault: boolean): Component | null {
  const tokens = tokensOf(metadata);
  const adds = (key: string, byDefault: boolean, idKey: string) => {
    const id = metadata[idKey];
    const wanted = (metadata[key] as boolean | undefined) ?? byDefault;
    return wanted && typeof id === 'number' ? [{ SpecialToken: { id: tokens[id]!, type_id: 0 } }] : [];
  };
  const bos = adds('tokenizer.ggml.add_bos_token', addsBosByDefault, 'tokenizer.ggml.bos_token_id');
  const eos = adds('tokenizer.ggml.add_eos_token', false, 'tokenizer.ggml.eos_token_id');
  if (bos.length + eos.length === 0) return null;
  const special = [...bos, ...eos].map(({ SpecialToken: { id } }) => id);
  return {
    type: 'TemplateProcessing',
    single: [...bos, { Sequence: { id: 'A', type_id: 0 } }, ...eos],
    pair: [...bos, { Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }, ...eos],
    special_tokens: Object.fromEntries(special.map((id) => [id, { id, ids: [tokens.indexOf(id)], tokens: [id] }])),
  };
}
