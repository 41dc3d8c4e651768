import { readClass, readEscape, shorthands } from '../character-class.ts';
import { checkLength, constraintLimits, GroupCounter } from '../limits.ts';
import { complement, type Range } from '../utf8-classes.ts';
import { anyText, choiceOf, classOf, type Language, repeatOf, sequenceOf } from './language.ts';

export type PatternOptions = {
  /**
   * JSON Schema searches for a pattern anywhere in a string. `whole`: a pattern without anchors must match the whole
   * string instead, which is what most authors mean and never allows more. With one anchor, the other end stays open.
   */
  unanchored: 'whole' | 'search';
};

/** The strings that match a regular expression of ECMAScript. @throws for unsupported syntax */
export function patternLanguage(pattern: string, { unanchored }: PatternOptions): Language {
  checkLength(pattern, constraintLimits.regexLength);
  const reader = new PatternReader(pattern);
  const { branches } = reader.read();
  const searches = unanchored === 'search' || branches.some(({ start, end }) => start || end);
  return choiceOf(
    branches.map(({ start, end, body }) =>
      sequenceOf([...(start || !searches ? [] : [anyText]), body, ...(end || !searches ? [] : [anyText])]),
    ),
  );
}

type Branch = { start: boolean; end: boolean; body: Language };

/** `.`: everything except line terminators. */
const dot: Range[] = complement([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]);

class PatternReader {
  readonly #text: string;
  readonly #groups = new GroupCounter();
  #at = 0;

  constructor(pattern: string) {
    this.#text = pattern;
  }

  read(): { branches: Branch[] } {
    const branches = [this.#branch(true)];
    while (this.#take('|')) branches.push(this.#branch(true));
    if (this.#at < this.#text.length) throw new Error(`${this.#text[this.#at]} closes no group`);
    return { branches };
  }

  /** Anchors are supported only at the ends of the whole pattern. */
  #branch(isOutermost: boolean): Branch {
    const start = isOutermost && this.#take('^');
    const parts: Language[] = [];
    let end = false;
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at]!)) {
      if (end) throw new Error('$ is only supported at the ends');
      if (isOutermost && this.#take('$')) end = true;
      else parts.push(this.#quantified());
    }
    return { start, end, body: sequenceOf(parts) };
  }

  #quantified(): Language {
    const atom = this.#atom();
    const found = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})/.exec(this.#text.slice(this.#at, this.#at + 40));
    if (!found) return atom;
    const [all, symbol, least, comma, most] = found;
    this.#at += all.length;
    if (symbol === undefined) this.#groups.repeat(all);
    this.#take('?'); // a lazy quantifier matches the same strings
    if (this.#text[this.#at] === '+') throw new Error('possessive quantifiers are not supported');
    if (symbol !== undefined) return repeatOf(atom, symbol === '+' ? 1 : 0, symbol === '?' ? 1 : null);
    const min = Number(least);
    const max = comma === undefined ? min : most === '' ? null : Number(most);
    if (max !== null && max < min) throw new Error(`the quantifier ${all} is out of order`);
    return repeatOf(atom, min, max);
  }

  #atom(): Language {
    const character = this.#text[this.#at]!;
    if (character === '(') return this.#group();
    if (character === '[') {
      const { isNegated, ranges, end } = readClass(this.#text, this.#at);
      this.#at = end;
      return classOf(isNegated ? complement(ranges) : ranges);
    }
    if (character === '\\') return this.#backslash();
    if (character === '^' || character === '$') throw new Error(`${character} is only supported at the ends`);
    if ('*+?'.includes(character)) throw new Error(`${character} repeats nothing`);
    const codePoint = this.#text.codePointAt(this.#at)!;
    this.#at += codePoint > 0xffff ? 2 : 1;
    return character === '.' ? classOf(dot) : classOf([[codePoint, codePoint]]);
  }

  #group(): Language {
    const opening = /^\((?:\?(?::|P?<[A-Za-z_]\w*>))?/.exec(this.#text.slice(this.#at, this.#at + 80))![0];
    this.#groups.open();
    this.#at += opening.length;
    if (this.#text[this.#at] === '?') {
      const kind = /^<?[=!]/.test(this.#text.slice(this.#at + 1)) ? 'lookaround' : 'flags and other special groups';
      throw new Error(`${kind} (${this.#text.slice(this.#at - 1, this.#at + 3)}) is not supported`);
    }
    const options = [this.#branch(false).body];
    while (this.#take('|')) options.push(this.#branch(false).body);
    if (!this.#take(')')) throw new Error('a group is not closed');
    this.#groups.close();
    return choiceOf(options);
  }

  #backslash(): Language {
    const next = this.#text[this.#at + 1] ?? '';
    const shorthand = shorthands[next];
    if (shorthand) {
      this.#at += 2;
      return classOf(shorthand);
    }
    const escaped = readEscape(this.#text, this.#at);
    if (!escaped) {
      const names: Record<string, string> = {
        b: 'word boundaries (\\b)',
        B: 'word boundaries (\\B)',
        p: 'Unicode properties (\\p)',
        P: 'Unicode properties (\\P)',
      };
      throw new Error(`${names[next] ?? (/\d/.test(next) ? 'backreferences' : `\\${next}`)} are not supported`);
    }
    this.#at = escaped.end;
    return classOf([[escaped.codePoint, escaped.codePoint]]);
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }
}
