import { invalidInput } from '../../util/failures.ts';
import type { Comparison, Literal, Operand, Operation } from './operation.ts';
import { fieldsOfTyped } from './typed-path.ts';

/**
 * Parses a condition as people type it, such as `op_name:answer and (output.score>0.5 or not status:error)`. A field is a
 * path as in a query, or as the page shows it (`fieldsOfTyped`); `:` and `=` mean equal, `~` contains. Values with spaces or brackets are quoted.
 * @throws Failure with the position of the syntax error
 */
export function parseTextQuery(text: string): Operation {
  return parse(new Reader(text));
}

/**
 * The same for a search field: words without an operator are looked for in inputs, output, names and exceptions, and
 * conditions that follow each other are joined with `and`.
 */
export function parseSearchText(text: string): Operation {
  return parse(new Reader(text, { takesWords: true }));
}

function parse(reader: Reader): Operation {
  const operation = parseChoice(reader);
  if (!reader.isAtEnd()) throw reader.fault('and, or, or the end');
  return operation;
}

function parseChoice(reader: Reader): Operation {
  return junction('or', reader, parseSequence);
}

function parseSequence(reader: Reader): Operation {
  return junction('and', reader, parseTest);
}

function junction(kind: 'and' | 'or', reader: Reader, parse: (reader: Reader) => Operation): Operation {
  const operands = [parse(reader)];
  while (reader.take(words[kind]) !== null || (kind === 'and' && reader.isAtNextWord())) operands.push(parse(reader));
  return operands.length === 1 ? operands[0]! : { kind, operands };
}

const words = { and: /and(?![^\s()])/iy, or: /or(?![^\s()])/iy, not: /not(?![^\s()])/iy };

function parseTest(reader: Reader): Operation {
  if (reader.take(words.not) !== null) return { kind: 'not', operand: parseTest(reader) };
  if (reader.take(/\(/y) !== null) {
    const inner = parseChoice(reader);
    if (reader.take(/\)/y) === null) throw reader.fault('a closing bracket');
    return inner;
  }
  if (reader.takesWords && !reader.isAtComparison()) return containsWord(parseValue(reader).text);
  const field = reader.take(fieldPattern);
  if (field === null) throw reader.fault('a field, such as op_name');
  const operator = reader.take(operatorPattern);
  if (operator === null) throw reader.fault('one of : = != > >= < <= ~');
  return comparison(shortFields.get(field) ?? field, operator, parseValue(reader));
}

const fieldPattern = /[\p{L}_](?:\["(?:[^"\\]|\\.)*"\]|\[[^\]]*\]|\\\.|[\p{L}\p{N}_.$-])*/uy;
const operatorPattern = /!=|>=|<=|[:=<>~]/y;

/** A word that may be anywhere in a call. */
function containsWord(word: string): Operation {
  const operands = searchedFields.map((path): Operation => {
    return { kind: 'contains', input: { kind: 'field', path }, substr: text(word), isCaseInsensitive: true };
  });
  return { kind: 'or', operands };
}

const searchedFields = ['inputs', 'output', 'op_name', 'display_name', 'exception'];

type Value = { text: string; isQuoted: boolean };

function parseValue(reader: Reader): Value {
  const quoted = reader.take(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y);
  if (quoted !== null) return { text: quoted.slice(1, -1).replaceAll(/\\(.)/g, '$1'), isQuoted: true };
  const plain = reader.take(/[^\s()"'][^\s()"]*/y); // an apostrophe inside is part of a word
  if (plain === null) throw reader.fault('a value');
  return { text: plain, isQuoted: false };
}

function comparison(typed: string, operator: string, value: Value): Operation {
  if (operator === '!=') return { kind: 'not', operand: comparison(typed, ':', value) };
  const operands = fieldsOfTyped(typed).map((path) => fieldComparison(path, operator, value));
  if (operands.length === 1) return operands[0]!;
  const isNull = /^[:=]$/.test(operator) && value.text === 'null' && !value.isQuoted;
  return { kind: isNull ? 'and' : 'or', operands }; // nothing is there if none of the fields is
}

function fieldComparison(path: string, operator: string, value: Value): Operation {
  const left: Operand = { kind: 'field', path };
  const right: Operand = { kind: 'literal', literal: literalOf(path, value) };
  const equal = path === 'op_name' ? isOp(value.text) : ({ kind: 'eq', left, right } as const);
  if (operator === '~') return { kind: 'contains', input: left, substr: text(value.text), isCaseInsensitive: true };
  const kind = comparisons[operator];
  return kind === undefined ? equal : { kind, left, right };
}

const comparisons: Record<string, Comparison | undefined> = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' };

/**
 * SDKs write the name of an op as the ref of its version, perhaps with escapes. The op of a span has a name without
 * capitals, spaces and signs, so the name of the span itself is looked for as well.
 */
function isOp(name: string): Operation {
  const input: Operand = { kind: 'field', path: 'op_name' };
  const isNamed = (path: string): Operation => ({ kind: 'eq', left: { kind: 'field', path }, right: text(name) });
  if (name.startsWith('weave:///')) return isNamed('op_name');
  const inRefs = [...new Set([name, encodeURIComponent(name.toWellFormed())])].map((each): Operation => {
    return { kind: 'contains', input, substr: text(`/op/${each}:`), isCaseInsensitive: false };
  });
  const ofSpan = nameOfSpanOp.test(name) ? [] : [isNamed('attributes.otel_span.name')];
  return { kind: 'or', operands: [isNamed('op_name'), ...inRefs, ...ofSpan] };
}

/** What the ids of the ops of spans consist of. */
const nameOfSpanOp = /^[\p{Ll}\p{Lo}\p{N}_.-]*$/u;

function text(value: string): Operand {
  return { kind: 'literal', literal: { type: 'string', value } };
}

/**
 * Without quotes, numbers, true, false and null are values of these types, except for ids. `1e400` is compared by its
 * digits.
 */
function literalOf(path: string, { text: value, isQuoted }: Value): Literal {
  if (isQuoted || /(^|_)id$/.test(path)) return { type: 'string', value };
  if (value === 'null') return { type: 'null' };
  if (value === 'true' || value === 'false') return { type: 'bool', value: value === 'true' };
  if (/^-?\d+$/.test(value)) return { type: 'int', value: BigInt(value) };
  const isNumber = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) && Number.isFinite(Number(value));
  if (isNumber) return { type: 'float', value: Number(value) };
  return { type: 'string', value };
}

const shortFields = new Map([
  ['model', 'inputs.model'],
  ['status', 'summary.weave.status'],
  ['latency_ms', 'summary.weave.latency_ms'],
]);

/** Reads a text piece by piece. */
class Reader {
  readonly takesWords: boolean;
  readonly #text: string;
  #place = 0;

  constructor(text: string, { takesWords = false } = {}) {
    this.#text = text;
    this.takesWords = takesWords;
  }

  /** Whether a field and an operator follow. */
  isAtComparison(): boolean {
    const place = this.#place;
    const isComparison = this.take(fieldPattern) !== null && this.take(operatorPattern) !== null;
    this.#place = place;
    return isComparison;
  }

  /** Whether a condition follows without `and` in front of it. */
  isAtNextWord(): boolean {
    if (!this.takesWords || this.isAtEnd()) return false;
    const place = this.#place;
    const isEnd = this.take(/\)/y) !== null || this.take(words.or) !== null;
    this.#place = place;
    return !isEnd;
  }

  /** What the pattern, which is sticky, finds behind white space; null if it does not match. */
  take(pattern: RegExp): string | null {
    this.#skipSpace();
    pattern.lastIndex = this.#place;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#place = pattern.lastIndex;
    return found[0];
  }

  isAtEnd(): boolean {
    this.#skipSpace();
    return this.#place === this.#text.length;
  }

  fault(expected: string) {
    const found = this.isAtEnd() ? 'the end' : `"${this.#text.slice(this.#place, this.#place + 20)}"`;
    return invalidInput(`The filter cannot be read: found ${found}, expected ${expected}.`);
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#place] ?? '')) this.#place++;
  }
}
