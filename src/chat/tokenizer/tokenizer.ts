import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import type { ByteCoding } from '../../engine/grammars/grammar-requests.ts';
import { BytePairMerges } from './byte-pair-merges.ts';
import { exactPreTokenizer } from './exact-pre-tokenizer.ts';
import { byteCodingOf, TokenBytes } from './token-bytes.ts';
import type { TokenizerJson } from './tokenizer-json.ts';

/** Text to token ids and back. Decoding uses the exact bytes of tokens, so that pieces join to the whole. */
export class Tokenizer {
  /** One more than the largest id. The model's logits may be longer because of padding. */
  readonly vocabularySize: number;
  readonly coding: ByteCoding;
  /** Ids that `skip_special_tokens` omits from text. */
  readonly specialIds: ReadonlySet<number>;
  /** Ids of tokens that are matched before text is split into words, including special ones. */
  readonly addedIds: ReadonlySet<number>;
  readonly #library: LibraryTokenizer;
  readonly #bytes: TokenBytes;
  readonly #tokens: readonly (string | undefined)[];
  readonly #stripsFirstSpace: boolean;

  constructor(json: TokenizerJson) {
    this.coding = byteCodingOf(json);
    this.#library = libraryTokenizer(json);
    this.#tokens = tokensById(json);
    this.vocabularySize = this.#tokens.length;
    this.addedIds = new Set(json.added_tokens.map((token) => token.id));
    this.specialIds = new Set(json.added_tokens.filter((token) => token.special).map((token) => token.id));
    this.#bytes = new TokenBytes(this.#tokens, this.addedIds, this.coding);
    this.#stripsFirstSpace = this.coding === 'byte_fallback' && stripsFirstSpace(json);
  }

  /** Lone surrogates become U+FFFD. Text of added tokens becomes their ids. */
  encode(text: string, { addSpecialTokens = false } = {}): number[] {
    if (text === '' && !addSpecialTokens) return [];
    return this.#library.encode(text.toWellFormed(), { add_special_tokens: addSpecialTokens }).ids;
  }

  /** Bytes that are not UTF-8 become U+FFFD. */
  decode(ids: readonly number[], { skipSpecialTokens = false } = {}): string {
    const shown = skipSpecialTokens ? ids.filter((id) => !this.specialIds.has(id)) : ids;
    const text = Buffer.concat(shown.map((id) => this.bytesOf(id))).toString('utf8');
    return this.#stripsFirstSpace && text.startsWith(' ') && !this.addedIds.has(shown[0]!) ? text.slice(1) : text;
  }

  /** The exact bytes that an id adds to the text: a view that must not be modified. */
  bytesOf(id: number): Uint8Array {
    return this.#bytes.of(id);
  }

  /** The token as the vocabulary spells it. */
  tokenOf(id: number): string | undefined {
    return this.#tokens[id];
  }

  idOf(token: string): number | undefined {
    return this.#library.token_to_id(token);
  }
}

/** The library's tokenizer, with the steps before and within words replaced by ours. */
function libraryTokenizer(json: TokenizerJson): LibraryTokenizer {
  const { model } = json;
  if (model.type !== undefined && model.type !== 'BPE') {
    throw new Error(`This tokenizer has a ${model.type} model. heddle reads BPE models.`);
  }
  if (model.continuing_subword_prefix || model.end_of_word_suffix) {
    throw new Error('This tokenizer marks parts of words by a prefix or suffix, which heddle does not support.');
  }
  const merges = new BytePairMerges(json);
  const library = new LibraryTokenizer(
    { ...json, pre_tokenizer: exactPreTokenizer(json.pre_tokenizer), model: { ...model, type: 'BPE', merges: [] } },
    {},
  );
  (library.model as unknown as { bpe: (word: string) => string[] }).bpe = (word) => merges.tokensOf(word);
  return library;
}

function tokensById({ model, added_tokens }: TokenizerJson): (string | undefined)[] {
  const tokens: (string | undefined)[] = [];
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token;
  for (const { id, content } of added_tokens) tokens[id] = content;
  return Array.from(tokens);
}

/** Sentencepiece tokenizers add a space before the first word, and remove it when decoding. */
function stripsFirstSpace({ decoder }: TokenizerJson): boolean {
  const steps =
    decoder?.type === 'Sequence' ? (decoder.decoders as { type: string; prepend_scheme?: string }[]) : [decoder];
  return steps.some(
    (step) => step?.type === 'Strip' || (step?.type === 'Metaspace' && step.prepend_scheme !== 'never'),
  );
}
