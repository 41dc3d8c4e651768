import { expect, test } from 'vitest';
import { readJson } from '../../chat/testing/reference.ts';
import { Tokenizer } from '../../chat/tokenizer/tokenizer.ts';
import type { TokenizerJson } from '../../chat/tokenizer/tokenizer-json.ts';
import { encodeWithCuts } from './encode-with-cuts.ts';

const names = ['qwen2', 'llama3', 'smollm', 'metaspace', 'sentencepiece'];
const texts = ['one two three', 'a\n\n\nb  c', 'naïve 😀 café', '  spaces  ', 'é'];

test.each(names)('with the tokenizer %s, each part has the ids of the text up to its cut', (name) => {
  const tokenizer = new Tokenizer(readJson(`tokenizers/${name}.json`) as TokenizerJson);
  for (const text of texts) {
    expect(encodeWithCuts(tokenizer, text, []).ids).toEqual(tokenizer.encode(text));
    for (let cut = 0; cut <= text.length; cut++) {
      const { ids, places } = encodeWithCuts(tokenizer, text, [cut]);
      expect(ids.slice(0, places[0])).toEqual(tokenizer.encode(text.slice(0, cut)));
      expect(encodeWithCuts(tokenizer, text, [cut, cut, text.length]).places).toEqual([
        places[0],
        places[0],
        ids.length,
      ]);
    }
  }
});
