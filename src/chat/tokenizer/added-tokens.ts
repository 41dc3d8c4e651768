import type { AddedToken, TokenizerJson } from './tokenizer-json.ts';

/** The files beside `tokenizer.json` that may define further tokens, parsed; null for a file that does not exist. */
export type TokenFiles = {
  'tokenizer_config.json': Record<string, unknown> | null;
  'special_tokens_map.json': Record<string, unknown> | null;
  'added_tokens.json': Record<string, unknown> | null;
};

/**
 * The tokenizer with the tokens that only the other files define, as transformers adds them: a token that the
 * vocabulary lacks gets the next free id. @throws if a file gives it another id, because the model was trained with
 * that one
 */
export function withAddedTokens(json: TokenizerJson, files: TokenFiles): TokenizerJson {
  const own = json.added_tokens ?? [];
  const tokens = new Map(own.map((token) => [token.content, token]));
  const ids = [...Object.values(json.model.vocab), ...own.map(({ id }) => id)];
  let next = ids.reduce((most, id) => Math.max(most, id), -1) + 1;
  for (const { file, field, content, id, special, flags } of declaredTokens(files)) {
    const known = tokens.get(content);
    const inVocabulary = json.model.vocab[content];
    if (known) {
      tokens.set(content, { ...known, special: known.special || special });
      continue;
    }
    const assigned = inVocabulary ?? next;
    if (id !== null && id !== assigned) {
      throw new Error(
        `${file} gives the token ${JSON.stringify(content)} the id ${id} (${field}), and by tokenizer.json it has the id ${assigned}.`,
      );
    }
    if (inVocabulary === undefined) next++;
    tokens.set(content, { ...flags, id: assigned, content, special, normalized: flags.normalized ?? !special });
  }
  return { ...json, added_tokens: [...tokens.values()].sort((a, b) => a.id - b.id) };
}

type Declared = {
  file: keyof TokenFiles;
  field: string;
  content: string;
  /** Null if the file does not say. */
  id: number | null;
  special: boolean;
  flags: Partial<Pick<AddedToken, 'single_word' | 'lstrip' | 'rstrip' | 'normalized'>>;
};

/** In the order in which transformers adds them. */
function declaredTokens(files: TokenFiles): Declared[] {
  const config = files['tokenizer_config.json'] ?? {};
  const decoder = Object.entries((config.added_tokens_decoder ?? {}) as Record<string, AddedToken>)
    .map(([id, token]) => ({ ...token, id: Number(id) }))
    .sort((a, b) => a.id - b.id)
    .map(({ id, content, special = false, single_word, lstrip, rstrip, normalized }) => ({
      file: 'tokenizer_config.json' as const,
      field: `added_tokens_decoder.${id}`,
      content,
      id,
      special,
      flags: defined({ single_word, lstrip, rstrip, normalized }),
    }));
  const added = Object.entries(files['added_tokens.json'] ?? {})
    .map(([content, id]) => ({ content, id: Number(id) }))
    .sort((a, b) => a.id - b.id)
    .map(({ content, id }) => ({
      ...{ file: 'added_tokens.json' as const, field: content, content, id, special: false, flags: {} },
    }));
  const named = (['tokenizer_config.json', 'special_tokens_map.json'] as const).flatMap((file) =>
    namedTokens(file, files[file] ?? {}),
  );
  return [...decoder, ...added, ...named];
}

/** `eos_token`, `additional_special_tokens` and the like. */
function namedTokens(file: keyof TokenFiles, fields: Record<string, unknown>): Declared[] {
  const contents = Object.entries(fields).flatMap(([field, value]) => {
    if (/_token$/.test(field)) return [{ field, value }];
    if (field === 'additional_special_tokens' || field === 'extra_special_tokens') {
      return Object.entries(value ?? {}).map(([key, each]) => ({ field: `${field}.${key}`, value: each as unknown }));
    }
    return [];
  });
  return contents.flatMap(({ field, value }) => {
    const content = contentOf(value);
    return content === null ? [] : [{ file, field, content, id: null, special: true, flags: {} }];
  });
}

/** A token is given as a string, or as an object with a `content`. */
export function contentOf(value: unknown): string | null {
  const content = typeof value === 'string' ? value : (value as { content?: unknown } | null)?.content;
  return typeof content === 'string' ? content : null;
}

function defined<Flags extends Record<string, boolean | undefined>>(
  flags: Flags,
): Partial<Record<keyof Flags, boolean>> {
  return Object.fromEntries(Object.entries(flags).filter(([, flag]) => flag !== undefined)) as never;
}
