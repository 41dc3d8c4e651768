import { complement, normalise, type Range } from '../utf8-classes.ts';

/** A set of strings of code points. */
export type Language =
  | { kind: 'class'; ranges: readonly Range[] }
  | { kind: 'sequence'; parts: readonly Language[] }
  | { kind: 'choice'; options: readonly Language[] }
  | { kind: 'repeat'; body: Language; min: number; max: number | null }
  /** The intersection of languages. */
  | { kind: 'both'; parts: readonly Language[] }
  | { kind: 'not'; body: Language };

const emptyText: Language = { kind: 'sequence', parts: [] };
export const noText: Language = { kind: 'choice', options: [] };
export const anyText: Language = { kind: 'not', body: noText };
export const anyOneCharacter: Language = { kind: 'class', ranges: complement([]) };

export function classOf(ranges: readonly Range[]): Language {
  const sorted = normalise(ranges);
  return sorted.length === 0 ? noText : { kind: 'class', ranges: sorted };
}

export function literal(text: string): Language {
  return sequenceOf(Array.from(text, (character) => classOf([[character.codePointAt(0)!, character.codePointAt(0)!]])));
}

export function sequenceOf(parts: readonly Language[]): Language {
  const flat = parts.flatMap((part) => (part.kind === 'sequence' ? part.parts : [part]));
  if (flat.some((part) => part === noText)) return noText;
  return flat.length === 0 ? emptyText : flat.length === 1 ? flat[0]! : { kind: 'sequence', parts: flat };
}

export function choiceOf(options: readonly Language[]): Language {
  const flat = distinct(options.flatMap((option) => (option.kind === 'choice' ? option.options : [option])));
  if (flat.some((option) => option === anyText)) return anyText;
  return flat.length === 0 ? noText : flat.length === 1 ? flat[0]! : { kind: 'choice', options: flat };
}

export function repeatOf(body: Language, min: number, max: number | null): Language {
  if (max === 0 || body === emptyText) return emptyText;
  if (body === noText) return min === 0 ? emptyText : noText;
  if (min === 1 && max === 1) return body;
  return { kind: 'repeat', body, min, max };
}

export function bothOf(parts: readonly Language[]): Language {
  const flat = distinct(parts.flatMap((part) => (part.kind === 'both' ? part.parts : part === anyText ? [] : [part])));
  if (flat.some((part) => part === noText)) return noText;
  return flat.length === 0 ? anyText : flat.length === 1 ? flat[0]! : { kind: 'both', parts: flat };
}

export function notOf(body: Language): Language {
  if (body.kind === 'not') return body.body;
  return body === noText ? anyText : { kind: 'not', body };
}

/** Strings with this many code points. */
export function ofLength(min: number, max: number | null): Language {
  return min === 0 && max === null ? anyText : repeatOf(anyOneCharacter, min, max);
}

export function includesEmpty(language: Language): boolean {
  switch (language.kind) {
    case 'class':
      return false;
    case 'sequence':
    case 'both':
      return language.parts.every(includesEmpty);
    case 'choice':
      return language.options.some(includesEmpty);
    case 'repeat':
      return language.min === 0 || includesEmpty(language.body);
    case 'not':
      return !includesEmpty(language.body);
    default:
      return language satisfies never;
  }
}

/** The strings that may follow a first code point (Brzozowski's derivative). */
export function after(language: Language, codePoint: number): Language {
  switch (language.kind) {
    case 'class':
      return language.ranges.some(([from, to]) => codePoint >= from && codePoint <= to) ? emptyText : noText;
    case 'sequence': {
      const [first, ...rest] = language.parts as [Language, ...Language[]] | [];
      if (first === undefined) return noText;
      const begun = sequenceOf([after(first, codePoint), ...rest]);
      return includesEmpty(first) ? choiceOf([begun, after(sequenceOf(rest), codePoint)]) : begun;
    }
    case 'choice':
      return choiceOf(language.options.map((option) => after(option, codePoint)));
    case 'repeat': {
      const { body, min, max } = language;
      const rest = repeatOf(body, Math.max(0, min - 1), max === null ? null : max - 1);
      return sequenceOf([after(body, codePoint), rest]);
    }
    case 'both':
      return bothOf(language.parts.map((part) => after(part, codePoint)));
    case 'not':
      return notOf(after(language.body, codePoint));
    default:
      return language satisfies never;
  }
}

export function includes(language: Language, text: string): boolean {
  let rest = language;
  for (const character of text) rest = after(rest, character.codePointAt(0)!);
  return includesEmpty(rest);
}

/** The length of its strings in code points: the minimum, and the maximum or null. Not exact for combined languages. */
export function lengthsOf(language: Language): [min: number, max: number | null] {
  switch (language.kind) {
    case 'class':
      return [1, 1];
    case 'sequence':
      return language.parts
        .map(lengthsOf)
        .reduce(([a, b], [c, d]) => [a + c, b === null || d === null ? null : b + d], [0, 0]);
    case 'choice': {
      const lengths = language.options.map(lengthsOf);
      const most = lengths.map(([, max]) => max);
      return [Math.min(...lengths.map(([min]) => min)), most.includes(null) ? null : Math.max(...(most as number[]))];
    }
    case 'repeat': {
      const [min, max] = lengthsOf(language.body);
      return [min * language.min, max === null || language.max === null ? null : max * language.max];
    }
    default:
      return [0, null];
  }
}

/** Equal keys mean equal languages. */
export function keyOf(language: Language): string {
  const known = keys.get(language);
  if (known !== undefined) return known;
  const key = makeKey(language);
  keys.set(language, key);
  return key;
}

const keys = new WeakMap<Language, string>();

function makeKey(language: Language): string {
  switch (language.kind) {
    case 'class':
      return `[${language.ranges.map(([from, to]) => `${from}-${to}`).join()}]`;
    case 'sequence':
      return `(${language.parts.map(keyOf).join('')})`;
    case 'choice':
      return `(|${language.options.map(keyOf).sort().join('|')})`;
    case 'repeat':
      return `${keyOf(language.body)}{${language.min},${language.max}}`;
    case 'both':
      return `(&${language.parts.map(keyOf).sort().join('&')})`;
    case 'not':
      return `!${keyOf(language.body)}`;
    default:
      return language satisfies never;
  }
}

function distinct(languages: readonly Language[]): Language[] {
  if (languages.length < 2) return [...languages];
  return [...new Map(languages.map((language) => [keyOf(language), language])).values()];
}
