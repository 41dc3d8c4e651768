import { gpt2Pattern, sequence, split } from './exact-pre-tokenizer.ts';
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

type Words = { steps: Component[]; normalizer?: Component; ignoresMerges?: boolean; addsBos?: boolean };

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const letters = '[^\\r\\n\\p{L}\\p{N}]?\\p{L}+';
const restAndSpace = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const nfc = { type: 'NFC' };

const gpt2: Words = { steps: [split(gpt2Pattern)] };
const digitsThenGpt2: Words = { steps: [split('\\p{N}'), split(gpt2Pattern)] };
const llama3: Words = {
  steps: [split(`${contractions}|${letters}|\\p{N}{1,3}|${restAndSpace}`)],
  ignoresMerges: true,
  addsBos: true,
};
const qwen2: Words = { steps: [split(`${contractions}|${letters}|\\p{N}|${restAndSpace}`)], normalizer: nfc };
const tekkenUpper = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
const tekkenLower = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
const tekken: Words = {
  steps: [
    split(
      `[^\\r\\n\\p{L}\\p{N}]?${tekkenUpper}*${tekkenLower}+|[^\\r\\n\\p{L}\\p{N}]?${tekkenUpper}+${tekkenLower}*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
    ),
  ],
  ignoresMerges: true,
};
const deepseek3: Words = {
  steps: [
    split('\\p{N}{1,3}'),
    split('[一-龥\u3040-ゟ゠-ヿ]+'),
    split(
      '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
    ),
  ],
};

/** How text is cut into words, by the names that GGUF files use. */
const wordsByName: Record<string, Words | undefined> = {
  'gpt-2': gpt2,
  olmo: gpt2,
  'phi-2': gpt2,
  smollm: digitsThenGpt2,
  starcoder: digitsThenGpt2,
  refact: digitsThenGpt2,
  'llama-bpe': llama3,
  'llama-v3': llama3,
  llama3,
  qwen2,
  'deepseek-r1-qwen': qwen2,
  tekken,
  'deepseek-v3': deepseek3,
};

const control = 3;
const userDefined = 4;

function addedTokens(metadata: GgufMetadata): AddedToken[] {
  const types = metadata['tokenizer.ggml.token_type'] as ArrayLike<number> | undefined;
  if (!types) return [];
  const tokens = tokensOf(metadata);
  return tokens.flatMap((content, id) => {
    const type = types[id];
    const unknown = type === 2 && metadata['tokenizer.ggml.model'] === 'llama';
    if (type !== control && type !== userDefined && !unknown) return [];
    return [{ id, content, special: type !== userDefined, normalized: false }];
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
    pair: [],
    special_tokens: Object.fromEntries(special.map((id) => [id, { id, ids: [tokens.indexOf(id)], tokens: [id] }])),
  };
}
