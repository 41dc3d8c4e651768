import type { Tokenizer } from '../../chat/tokenizer/tokenizer.ts';
import type { Vocabulary } from './read-choice.ts';

/** Looks tokens up in a tokenizer. A token is found by its bytes only if no other token has the same. */
export function vocabularyOf(tokenizer: Tokenizer): Vocabulary {
  let byBytes: Map<string, number | null> | undefined;
  const keyOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

  function index(): Map<string, number | null> {
    const ids = new Map<string, number | null>();
    for (let id = 0; id < tokenizer.vocabularySize; id++) {
      const key = keyOf(tokenizer.bytesOf(id));
      ids.set(key, ids.has(key) ? null : id);
    }
    return ids;
  }

  return {
    size: tokenizer.vocabularySize,
    idOfBytes(bytes) {
      byBytes ??= index();
      return byBytes.get(keyOf(bytes)) ?? undefined;
    },
    idOfToken: (token) => tokenizer.idOf(token),
  };
}
