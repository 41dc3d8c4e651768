import type { GrammarCompiler } from '@mlc-ai/web-xgrammar';
import { loadXgrammar } from '../../../engine/grammars/xgrammar.ts';

const words = [
  '"',
  '":',
  '", "',
  '{"',
  '"}',
  '}]',
  ']}',
  ' ',
  '\\u',
  '00',
  '19',
  '-1',
  '0.',
  'e+',
  'true',
  'null',
  'ab',
];
const end = 256 + words.length;
/** Each byte is a token, so that a grammar is tested on every byte, and some tokens span several parts of JSON. */
const tokens = [
  ...Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  ...words.map((word) => word.replaceAll(' ', '▁')),
  '</s>',
];

/** Writes whatever a grammar allows, like a model that wants to violate its schema. */
export class HostileWriter {
  readonly #library = loadXgrammar();
  #compiler: GrammarCompiler | null = null;

  /** The output for a seed, or null if it is not finished after `lengthMax` tokens. */
  async write(grammar: string, random: () => number, lengthMax = 600): Promise<string | null> {
    const compiled = await (await this.#compilerOf()).compileGrammar(grammar);
    const matcher = await this.#library.GrammarMatcher.createGrammarMatcher(compiled);
    const written: Buffer[] = [];
    const hurriesAfter = Math.floor(random() * 60);
    try {
      for (let step = 0; step < lengthMax; step++) {
        const allowed = allowedIn(await matcher.getNextTokenBitmask());
        if (allowed.length === 0) throw new Error('the grammar allows no token');
        const token = pick(allowed, random, step > hurriesAfter);
        matcher.acceptToken(token);
        if (token === end) return Buffer.concat(written).toString();
        written.push(bytesOf(token));
      }
      return null;
    } finally {
      matcher.dispose();
      compiled.dispose();
    }
  }

  /** Whether a grammar allows a text. */
  async allows(grammar: string, text: string): Promise<boolean> {
    const compiled = await (await this.#compilerOf()).compileGrammar(grammar);
    const matcher = await this.#library.GrammarMatcher.createGrammarMatcher(compiled);
    const isAllowed = [...Buffer.from(text)].every((byte) => matcher.acceptToken(byte)) && matcher.acceptToken(end);
    matcher.dispose();
    compiled.dispose();
    return isAllowed;
  }

  async #compilerOf(): Promise<GrammarCompiler> {
    if (this.#compiler) return this.#compiler;
    const { TokenizerInfo, GrammarCompiler: Compiler } = this.#library;
    const info = await TokenizerInfo.createTokenizerInfo(tokens, 'byte_fallback', false, tokens.length, [end]);
    this.#compiler = await Compiler.createGrammarCompiler(info, false);
    return this.#compiler;
  }
}

/**
 * Prefers the characters of JSON's syntax, because most bytes are only characters of strings; near the limit, prefers
 * what ends the output.
 */
function pick(allowed: readonly number[], random: () => number, isHurried: boolean): number {
  const among = (some: readonly number[]) => some[Math.floor(random() * some.length)]!;
  const closing = allowed.filter((token) => token === end || '"}]'.includes(String.fromCharCode(token)));
  if (isHurried && closing.length > 0 && random() < 0.9) return among(closing);
  const marks = allowed.filter((token) => token >= 256 || '"{}[],:-.0159eE\\u'.includes(String.fromCharCode(token)));
  return among(marks.length > 0 && random() < 0.6 ? marks : allowed);
}

function bytesOf(token: number): Buffer {
  return token < 256 ? Buffer.from([token]) : Buffer.from(words[token - 256]!);
}

function allowedIn(mask: Int32Array): number[] {
  return Array.from(tokens, (_, token) => token).filter((token) => (mask[token >>> 5]! >>> (token & 31)) & 1);
}
