import type { Component } from './tokenizer-json.ts';

/** How GPT-2 splits text into words, the built-in pattern of a ByteLevel step. */
export const gpt2Pattern = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

/**
 * The same pre-tokenizer in steps that the JavaScript library runs exactly as the Rust one. Its own Digits knows only
 * ASCII digits, its ByteLevel pattern treats U+FEFF as white space but not U+0085, and its Metaspace never splits; a
 * Split with an explicit pattern does all of them right.
 */
export function exactPreTokenizer(step: Component | null): Component | null {
  if (step === null) return null;
  switch (step.type) {
    case 'Sequence':
      return { ...step, pretokenizers: (step.pretokenizers as Component[]).map((inner) => exactPreTokenizer(inner)!) };
    case 'Digits':
      return split(step.individual_digits === true ? '\\p{N}' : '\\p{N}+');
    case 'ByteLevel':
      if (step.use_regex === false) return step;
      return sequence([prefixSpace(step), split(gpt2Pattern), { ...step, add_prefix_space: false, use_regex: false }]);
    case 'Metaspace':
      return step.split === false ? step : sequence([step, split('▁[^▁]*|[^▁]+')]);
    default:
      return step;
  }
}

/** A step that isolates every match of a pattern. */
export function split(pattern: string): Component {
  return { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
}

export function sequence(steps: (Component | null)[]): Component {
  return { type: 'Sequence', pretokenizers: steps.filter((step) => step !== null) };
}

/** The library adds the space only inside ByteLevel, after our split: rejected instead of done wrong. */
function prefixSpace(step: Component): null {
  if (step.add_prefix_space === true) {
    throw new Error(
      'This tokenizer puts a space before byte-level text (add_prefix_space), which heddle does not support.',
    );
  }
  return null;
}
