import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TypedValues } from '../../engine/models/gguf/values.ts';
import { tinyModel } from '../../engine/registry/tiny-model.ts';
import { readJson } from '../testing/reference.ts';
import { modelTextOfFolder } from './from-folder.ts';
import { generationConfigOfGguf, ggufGenerationValues } from './generation-config.ts';
import { type ModelText, modelTextOfGguf } from './model-text.ts';
import { mergesOfScores } from './sentencepiece-merges.ts';
import { ggufTokenizerValues } from './to-gguf.ts';
import { Tokenizer } from './tokenizer.ts';
import type { TokenizerJson } from './tokenizer-json.ts';

const texts = readJson('awkward-texts.json') as string[];
const { path: tiny } = await tinyModel();
const tinyJson = (await import(join(tiny, 'tokenizer.json'), { with: { type: 'json' } })).default as TokenizerJson;

function textOf(json: TokenizerJson, more: Partial<ModelText> = {}): ModelText {
  const tokenizer = new Tokenizer(json);
  return {
    tokenizer,
    chatTemplates: new Map(),
    templateVariables: {},
    bosId: null,
    eosId: null,
    ...more,
  };
}

/** The tokenizer of the tests with all the merges of its vocabulary, as of one that was made of a sentencepiece model. */
function sentencepiece(): TokenizerJson {
  const json = readJson('tokenizers/sentencepiece.json') as TokenizerJson;
  const tokens = Object.entries(json.model.vocab).sort(([, a], [, b]) => a - b);
  const merges = mergesOfScores(
    tokens.map(([token]) => token),
    tokens.map(([, id]) => -id),
  );
  return { ...json, model: { ...json.model, merges } };
}

/** What is read of a GGUF file with these values. */
const plain = (values: TypedValues) =>
  Object.fromEntries(Object.entries(values).map(([key, { value }]) => [key, value]));

test.each([
  ['llama3', 'llama-bpe'],
  ['qwen2', 'qwen2'],
  ['smollm', 'smollm'],
  ['sentencepiece', 'default'],
])('the tokenizer %s makes the same tokens as a GGUF file', (name, pre) => {
  const json = name === 'sentencepiece' ? sentencepiece() : (readJson(`tokenizers/${name}.json`) as TokenizerJson);
  const text = textOf(json);
  const [bosId = null] = text.tokenizer.encode('', { addSpecialTokens: true });
  const values = ggufTokenizerValues(json, { ...text, bosId }, text.tokenizer.vocabularySize);
  expect(values['tokenizer.ggml.pre']!.value).toBe(pre);
  const again = modelTextOfGguf(plain(values));
  expect(again.bosId).toBe(bosId);
  for (const each of texts) {
    const options = { addSpecialTokens: true };
    expect(again.tokenizer.encode(each, options)).toEqual(text.tokenizer.encode(each, options));
  }
});

test('splits words of heddle/tiny into runs of characters and keeps its merges with superbpe', async () => {
  const text = await modelTextOfFolder(tiny);
  const values = ggufTokenizerValues(tinyJson, text, 1030);
  expect(values['tokenizer.ggml.pre']!.value).toBe('superbpe');
  const again = modelTextOfGguf(plain(values));
  const { chatTemplates, templateVariables, bosId, eosId } = text;
  expect(again).toMatchObject({ chatTemplates, templateVariables, bosId, eosId });
  expect(again.tokenizer.tokenOf(1029)).toBe('[PAD1029]');
  const more = ['a \n b', '1234567', "it's {'a': \"b\"}, 東京 Ünï 🎉é\u0301", '<|im_start|>user\nHi<|im_end|>'];
  for (const each of [...texts, ...more]) expect(again.tokenizer.encode(each)).toEqual(text.tokenizer.encode(each));
});

test.each<[string, (json: TokenizerJson) => TokenizerJson, RegExp]>([
  [
    'a token across two runs',
    (json) => ({ ...json, model: { ...json.model, vocab: { ...json.model.vocab, Ġa: 1023 } } }),
    /cuts words in a way/,
  ],
  [
    'words cut otherwise',
    (json) => ({ ...json, pre_tokenizer: { ...json.pre_tokenizer!, pretokenizers: [] } }),
    /cuts words in a way/,
  ],
  ['another normalizer', (json) => ({ ...json, normalizer: { type: 'Lowercase' } }), /cuts words in a way/],
  [
    'a token that is added and is not the first of the template',
    (json) => ({
      ...json,
      post_processor: {
        type: 'TemplateProcessing',
        single: [{ SpecialToken: { id: '<|im_start|>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
        special_tokens: { '<|im_start|>': { id: '<|im_start|>', ids: [1], tokens: ['<|im_start|>'] } },
      },
    }),
    /adds <\|im_start\|> to every text/,
  ],
  [
    'an added token with the white space beside it',
    (json: TokenizerJson) => ({
      ...json,
      added_tokens: json.added_tokens.map((token) => ({ ...token, rstrip: true })),
    }),
    /its added token ".+" takes in the white space beside it/,
  ],
  [
    'an added token that is found only as a whole word',
    (json: TokenizerJson) => ({
      ...json,
      added_tokens: json.added_tokens.map((token) => ({ ...token, single_word: true })),
    }),
    /its added token ".+" is found only as a whole word/,
  ],
  [
    'two tokens before every text',
    (json) => ({
      ...json,
      post_processor: {
        type: 'TemplateProcessing',
        single: [0, 1]
          .map(() => ({ SpecialToken: { id: '<|im_end|>', type_id: 0 } }))
          .concat({ Sequence: { id: 'A' } } as never),
        special_tokens: { '<|im_end|>': { id: '<|im_end|>', ids: [2], tokens: ['<|im_end|>'] } },
      },
    }),
    /it reads "" as other tokens/,
  ],
])('%s does not fit into a GGUF file', async (_, change, reason) => {
  const json = change(tinyJson);
  const text = await modelTextOfFolder(tiny);
  const ofJson = json.post_processor === null ? text : { ...text, tokenizer: new Tokenizer(json), bosId: 2 };
  expect(() => ggufTokenizerValues(json, ofJson, 1024)).toThrow(reason);
});

test('more tokens than the model has do not fit into a GGUF file', async () => {
  const text = await modelTextOfFolder(tiny);
  expect(() => ggufTokenizerValues(tinyJson, text, 1000)).toThrow(/and the model has 1000 tokens/);
});

test('merges in another order than that of sentencepiece do not fit into a GGUF file', () => {
  const json = sentencepiece();
  const merges = (json.model.merges as [string, string][]).toReversed();
  const reversed = { ...json, model: { ...json.model, merges } };
  expect(() => ggufTokenizerValues(reversed, textOf(json), 4000)).toThrow(/not those of a sentencepiece vocabulary/);
});

test.each<[string, (json: TokenizerJson) => TokenizerJson, RegExp]>([
  [
    'unknown characters',
    (json) => ({ ...json, model: { ...json.model, byte_fallback: false } }),
    /byte_fallback is false/,
  ],
  [
    'a missing byte',
    (json) => {
      const { '<0x0A>': _, ...vocab } = json.model.vocab;
      return { ...json, model: { ...json.model, vocab } };
    },
    /model\.vocab has no <0x0A>/,
  ],
])('a sentencepiece tokenizer with %s does not fit into a GGUF file', (_, change, reason) => {
  const json = change(sentencepiece());
  expect(() => ggufTokenizerValues(json, textOf(sentencepiece()), 4000)).toThrow(reason);
});

test('a GGUF file keeps all chat templates, end tokens and sampling values', async () => {
  const text = await modelTextOfFolder(tiny);
  const chatTemplates = new Map([...text.chatTemplates, ['tool_use', 't'], ['rag', 'r']]);
  const config = { sampling: { temperature: 0.6, top_k: 20, top_p: 0.95 }, eosIds: [2, 5, 1], maxNewTokens: 9 };
  const values = {
    ...ggufTokenizerValues(tinyJson, { ...text, chatTemplates }, 1024),
    ...ggufGenerationValues(config, 2),
  };
  expect(values['tokenizer.chat_templates']!.value).toEqual(['tool_use', 'rag']);
  const metadata = {
    ...plain(values),
    'general.sampling.temp': Math.fround(0.6),
    'general.sampling.top_p': Math.fround(0.95),
  };
  expect(modelTextOfGguf(metadata).chatTemplates).toEqual(chatTemplates);
  expect(generationConfigOfGguf(metadata)).toEqual({ ...config, eosIds: [5, 1], maxNewTokens: null });
  expect(() => ggufGenerationValues({ ...config, eosIds: [2, 3, 4, 5] }, 2)).toThrow(
    /generation_config\.json.*eos_token_id/,
  );
});
