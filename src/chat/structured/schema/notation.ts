import type { Expression } from './grammar-rules.ts';
import { jsonStrings } from './json-strings.ts';
import { anyText, type Language } from './language.ts';
import { type JsonSpacing, type Punctuation, punctuationOf } from './spacing.ts';
import { type Rules, type StringSpelling, stringText } from './string-rules.ts';

/** How values are written: as JSON, or in the notation of a model family. */
export type Notation = {
  punctuation: Punctuation;
  strings: StringSpelling;
  /** The name of a member. */
  key(name: string): Expression;
  /** A name of a language. */
  otherKey(language: Language, rules: Rules): Expression;
};

export function jsonNotation(spacing: JsonSpacing): Notation {
  return {
    punctuation: punctuationOf(spacing),
    strings: jsonStrings,
    key: jsonStrings.literal,
    otherKey: (language, rules) => stringText(language === anyText ? [] : [language], [0, null], rules),
  };
}
