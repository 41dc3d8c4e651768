import { UnsupportedModelError } from '../../engine/models/config.ts';
import { ggufValue, type TypedValue, type TypedValues } from '../../engine/models/gguf/values.ts';
import { bytesOfByteLevel } from './byte-level.ts';
import { exactPreTokenizer } from './exact-pre-tokenizer.ts';
import { tokenizerJsonOfGguf, tokenTypes } from './from-gguf.ts';
import { wordsByName } from './gguf-words.ts';
import { type ModelText, modelTextOfGguf } from './model-text.ts';
import { mergesOfScores } from './sentencepiece-merges.ts';
import { byteCodingOf } from './token-bytes.ts';
import { type Component, stepsOf, type TokenizerJson } from './tokenizer-json.ts';

/**
 * The inverse of `tokenizerJsonOfGguf`: the metadata of a GGUF file for a tokenizer and a chat template.
 * @param vocabSize how many tokens the model has; tokens without a name get one
 * @throws UnsupportedModelError if llama.cpp would tokenize the same text differently
 */
export function ggufTokenizerValues(json: TokenizerJson, text: ModelText, vocabSize: number): TypedValues {
  refuseTokensWithSpaces(json);
  const isByteLevel = byteCodingOf(json) === 'byte_level';
  if (!isByteLevel) refuseOtherPieces(json);
  const tokens = tokensOf(json, vocabSize);
  const types = tokens.map((token, id) => typeOf(json, text, token, id, isByteLevel));
  const { count, flag, integers, texts } = ggufValue;
  const all: Record<string, TypedValue | null> = {
    ...(isByteLevel ? byteLevelValues(json) : sentencepieceValues(json, tokens)),
    'tokenizer.ggml.tokens': texts(tokens.map((token, id) => token ?? `[PAD${id}]`)),
    'tokenizer.ggml.token_type': integers(types),
    'tokenizer.ggml.bos_token_id': optional(count, text.bosId),
    'tokenizer.ggml.eos_token_id': optional(count, text.eosId),
    'tokenizer.ggml.unknown_token_id': optional(count, idOf(text, 'unk_token')),
    'tokenizer.ggml.padding_token_id': optional(count, idOf(text, 'pad_token')),
    'tokenizer.ggml.add_bos_token': flag(addsToken(json, text.bosId, 'first')),
    'tokenizer.ggml.add_eos_token': flag(addsToken(json, text.eosId, 'last')),
    ...templateValues(text.chatTemplates),
  };
  const values = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as TypedValues;
  checkReadBack(values, text);
  return values;
}

/**
 * Characters outside the vocabulary of a sentencepiece model become bytes in llama.cpp, which needs a token for each.
 */
function refuseOtherPieces({ model }: TokenizerJson): void {
  if (model.byte_fallback !== true) throw unsupported('its model.byte_fallback is false');
  if (model.ignore_merges === true) throw unsupported('its model.ignore_merges is true');
  const missing = Array.from({ length: 256 }, (_, byte) => byteToken(byte)).find((token) => !(token in model.vocab));
  if (missing !== undefined) throw unsupported(`its model.vocab has no ${missing}`);
}

function byteToken(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}

const probes = [
  '',
  "Hello, world! It's 2024, and I'LL pay 1234567.89.",
  ' a  b \n\n\tc\r\n ',
  'Grüße, 東京! привет 🎉 a\u00a0b ▁c <0x0A>',
  'foo_bar(x) { return "y"; }',
];
const probedTokensMax = 300;

/**
 * A safety net for the checks above: the tokenizer read from the file makes the same tokens of some texts and of all
 * added tokens.
 */
function checkReadBack(values: TypedValues, { tokenizer }: ModelText): void {
  const plain = Object.fromEntries(Object.entries(values).map(([key, { value }]) => [key, value]));
  const again = modelTextOfGguf(plain).tokenizer;
  const added = [...tokenizer.addedIds].slice(0, probedTokensMax).map((id) => tokenizer.tokenOf(id)!);
  const options = { addSpecialTokens: true };
  for (const probe of [...probes, ...added.flatMap((token) => [`a${token}b`, ` ${token} c`])]) {
    const [ids, read] = [tokenizer, again].map((each) => each.encode(probe, options).join());
    if (ids !== read) throw unsupported(`it reads ${JSON.stringify(probe)} as other tokens`);
  }
}

/** `tokenizer.chat_templates` lists the names of the templates besides the default. */
function templateValues(templates: ReadonlyMap<string, string>): TypedValues {
  const others = [...templates.keys()].filter((name) => name !== 'default');
  const values = [...templates].map(([name, template]) => {
    const key = name === 'default' ? 'tokenizer.chat_template' : `tokenizer.chat_template.${name}`;
    return [key, ggufValue.text(template)] as const;
  });
  return Object.fromEntries([
    ...values,
    ...(others.length === 0 ? [] : [['tokenizer.chat_templates', ggufValue.texts(others)] as const]),
  ]);
}

function optional<Value>(typed: (value: Value) => TypedValue, value: Value | null): TypedValue | null {
  return value === null ? null : typed(value);
}

function idOf({ tokenizer, templateVariables }: ModelText, name: string): number | null {
  const token = templateVariables[name];
  return token === undefined ? null : (tokenizer.idOf(token) ?? null);
}

function tokensOf({ model, added_tokens }: TokenizerJson, vocabSize: number): (string | undefined)[] {
  const tokens: (string | undefined)[] = Array.from({ length: vocabSize });
  const named = [...Object.entries(model.vocab), ...added_tokens.map(({ content, id }) => [content, id] as const)];
  for (const [token, id] of named) {
    if (id >= vocabSize) throw unsupported(`it has the token ${id}, and the model has ${vocabSize} tokens`);
    tokens[id] = token;
  }
  return tokens;
}

/** A GGUF file has no fields for how an added token is found. */
function refuseTokensWithSpaces({ added_tokens }: TokenizerJson): void {
  const found = added_tokens.find(({ lstrip, rstrip, single_word }) => lstrip || rstrip || single_word);
  if (found === undefined) return;
  const reason = found.single_word ? 'is found only as a whole word' : 'takes in the white space beside it';
  throw unsupported(`its added token ${JSON.stringify(found.content)} ${reason}`);
}

function typeOf(
  { model }: TokenizerJson,
  { tokenizer }: ModelText,
  token: string | undefined,
  id: number,
  isByteLevel: boolean,
): number {
  if (token === undefined) return tokenTypes.unused;
  if (!isByteLevel && token === model.unk_token) return tokenTypes.unknown;
  if (tokenizer.specialIds.has(id)) return tokenTypes.control;
  if (tokenizer.addedIds.has(id)) return tokenTypes.userDefined;
  return !isByteLevel && /^<0x[0-9A-F]{2}>$/.test(token) ? tokenTypes.byte : tokenTypes.normal;
}

/** Whether the tokenizer puts a token before or after every text. */
function addsToken({ post_processor }: TokenizerJson, id: number | null, place: 'first' | 'last'): boolean {
  const template = stepsOf(post_processor).find(({ type }) => type === 'TemplateProcessing');
  if (template === undefined) return false;
  const parts = template.single as { SpecialToken?: { id: string } }[];
  const token = parts.at(place === 'first' ? 0 : -1)?.SpecialToken?.id;
  if (token === undefined) return false;
  const { ids } = (template.special_tokens as Record<string, { ids: number[] }>)[token]!;
  if (ids.length === 1 && ids[0] === id) return true;
  throw unsupported(`it adds ${token} to every text, which is not its ${place === 'first' ? 'bos' : 'eos'} token`);
}

function byteLevelValues(json: TokenizerJson): TypedValues {
  const merges = json.model.merges.map((merge) => (typeof merge === 'string' ? merge : merge.join(' ')));
  return {
    'tokenizer.ggml.model': ggufValue.text('gpt2'),
    'tokenizer.ggml.pre': ggufValue.text(wordsNameOf(json)),
    'tokenizer.ggml.merges': ggufValue.texts(merges),
  };
}

/** The name of the llama.cpp pre-tokenizer that matches this tokenizer. */
function wordsNameOf(json: TokenizerJson): string {
  const isNormalized = stepsOf(json.normalizer).some(({ type }) => type !== 'NFC'); // llama.cpp omits NFC
  const steps = stepsOf(exactPreTokenizer(json.pre_tokenizer));
  const last = steps.pop();
  if (isNormalized || last?.type !== 'ByteLevel' || last.add_prefix_space === true) throw unknownWords();
  const isSame = (a: Component[], b: Component[]) => patternsOf(a) === patternsOf(b);
  const ignoresMerges = json.model.ignore_merges === true;
  const named = Object.entries(wordsByName).find(
    ([, words]) => isSame(words!.steps, steps) && (words!.ignoresMerges ?? false) === ignoresMerges,
  );
  if (named) return named[0];
  if (patternsOf(steps) === JSON.stringify([characterRuns]) && !ignoresMerges && hasTokensWithinRuns(json)) {
    return 'superbpe';
  }
  throw unknownWords();
}

function patternsOf(steps: Component[]): string {
  return JSON.stringify(
    steps.map(({ type, pattern, behavior, invert }) => {
      const regex = (pattern as { Regex?: string } | undefined)?.Regex;
      return type === 'Split' && behavior === 'Isolated' && invert !== true ? regex : null;
    }),
  );
}

/**
 * Words are runs of letters, of white space, of other characters, and single digits. So a cut depends only on the two
 * characters beside it. If no token spans a cut, no merge does, and the merges are the same in longer words: `superbpe`
 * cuts only at digits.
 */
const characterRuns = '\\p{N}|\\p{L}+|\\s+|[^\\s\\p{L}\\p{N}]+';
const oneRun = new RegExp(`^(?:${characterRuns})$`, 'u');

function hasTokensWithinRuns({ model, added_tokens }: TokenizerJson): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const added = new Set(added_tokens.map(({ content }) => content)); // these do not result from merges
  return Object.keys(model.vocab).every((token) => {
    const bytes = bytesOfByteLevel(token);
    if (bytes === null || bytes.length === 1 || added.has(token)) return true;
    try {
      return oneRun.test(decoder.decode(bytes));
    } catch {
      return isPartOfCharacter(bytes);
    }
  });
}

/** The first bytes of one character. */
function isPartOfCharacter([first, ...rest]: Uint8Array): boolean {
  const length = first! >= 0xf0 ? 4 : first! >= 0xe0 ? 3 : 2;
  return first! >= 0xc0 && rest.length < length && rest.every((byte) => byte >= 0x80 && byte < 0xc0);
}

function unknownWords(): UnsupportedModelError {
  const known = Object.keys(wordsByName).join(', ');
  return unsupported(`it cuts words in a way that llama.cpp has no name for; heddle knows ${known}`);
}

/** The scores are the ranks of the merges, which the reader turns into merges again. */
function sentencepieceValues(json: TokenizerJson, tokens: (string | undefined)[]): TypedValues {
  const merges = json.model.merges.map((merge) => (typeof merge === 'string' ? merge.split(' ', 2) : merge));
  const ranks = new Map<string, number>();
  for (const [rank, pair] of merges.entries()) if (!ranks.has(pair.join(''))) ranks.set(pair.join(''), rank);
  const scores = tokens.map((token) => -(ranks.get(token ?? '') ?? merges.length));
  const named = tokens.map((token, id) => token ?? `[PAD${id}]`);
  if (JSON.stringify(mergesOfScores(named, scores)) !== JSON.stringify(merges)) {
    throw unsupported('its merges are not those of a sentencepiece vocabulary');
  }
  const prefixes = [true, false].filter((addsPrefix) => normalizes(json, addsPrefix, named, scores));
  if (prefixes.length === 0) throw unsupported('its normalizer is not that of sentencepiece');
  return {
    'tokenizer.ggml.model': ggufValue.text('llama'),
    'tokenizer.ggml.pre': ggufValue.text('default'),
    'tokenizer.ggml.scores': ggufValue.reals(scores),
    'tokenizer.ggml.add_space_prefix': ggufValue.flag(prefixes[0]!),
  };
}

/** Whether text is split as in the tokenizer that is read from a GGUF file. */
function normalizes(json: TokenizerJson, addsPrefix: boolean, tokens: string[], scores: number[]): boolean {
  const { normalizer, pre_tokenizer } = tokenizerJsonOfGguf({
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.scores': scores,
    'tokenizer.ggml.add_space_prefix': addsPrefix,
  });
  const stepsOfBoth = [json, { normalizer, pre_tokenizer }].map((each) =>
    JSON.stringify([stepsOf(each.normalizer), stepsOf(each.pre_tokenizer)]),
  );
  return stepsOfBoth[0] === stepsOfBoth[1];
}

function unsupported(reason: string): UnsupportedModelError {
  return new UnsupportedModelError(`tokenizer.json does not fit into a GGUF file: ${reason}`);
}
