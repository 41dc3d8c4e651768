import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';

/** A piece of a call. */
export type CallEvent = { kind: 'begin'; name: string } | { kind: 'arguments'; text: string };

/** The names that models use for the arguments. */
const argumentKeys = new Set(['arguments', 'parameters']);

/**
 * Reads one JSON object `{"name": …, "arguments": {…}}` that arrives in pieces, or only the arguments if the name is
 * given. Arguments are passed on unchanged as they arrive, once the name is known. Throws if the text is not such an
 * object.
 */
export class CallReader {
  isDone = false;
  readonly #hasArgumentsAlone: boolean;
  #key: string | null = null;
  #value = '';
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  #state: 'open' | 'key' | 'colon' | 'value' | 'comma' = 'open';
  #name: string | null = null;
  #arguments = '';
  #isArgumentsText = false;
  #isArgumentsRead = false;
  #sent = 0;
  #hasBegun = false;

  constructor(name: string | null = null) {
    this.#hasArgumentsAlone = name !== null;
    if (name === null) return;
    this.#name = name;
    this.#key = 'arguments';
    this.#state = 'value';
  }

  /** Consumes text up to the end of the object, or up to an error, and returns the rest. */
  push(text: string, events: CallEvent[]): string {
    for (let at = 0; at < text.length; at++) {
      const before = this.#arguments;
      try {
        this.#take(text[at]!);
      } catch (error) {
        this.#arguments = before;
        this.#send(events);
        throw new NotACall(text.slice(at), { cause: error });
      }
      if (this.isDone) {
        this.#send(events);
        if (!this.#hasBegun) throw new NotACall(text.slice(at), { cause: 'the call has no name' });
        return text.slice(at + 1);
      }
    }
    this.#send(events);
    return '';
  }

  #take(character: string): void {
    if (this.#state === 'key' && this.#value !== '') this.#takeKey(character);
    else if (this.#state === 'value') this.#takeValue(character);
    else if (!/\s/.test(character)) this.#takePunctuation(character);
  }

  #takePunctuation(character: string): void {
    if (this.#state === 'open' && character === '{') this.#state = 'key';
    else if (this.#state === 'key' && character === '"') this.#value = '"';
    else if (this.#state === 'key' && character === '}' && this.#key === null) this.isDone = true;
    else if (this.#state === 'colon' && character === ':') this.#state = 'value';
    else if (this.#state === 'comma' && character === ',') this.#state = 'key';
    else if (this.#state === 'comma' && character === '}') this.isDone = true;
    else throw new Error(`unexpected ${JSON.stringify(character)} in a call`);
  }

  #takeKey(character: string): void {
    this.#value += character;
    if (!this.#endsString(character)) return;
    this.#key = JSON.parse(this.#value) as string;
    this.#value = '';
    this.#state = 'colon';
  }

  #takeValue(character: string): void {
    if (this.#value === '' && /\s/.test(character)) return;
    if (!this.#isString && this.#depth === 0 && this.#value !== '' && /[,}\s]/.test(character)) {
      this.#finishValue();
      this.#take(character);
      return;
    }
    this.#value += character;
    if (argumentKeys.has(this.#key!)) this.#takeArgument(character);
    if (this.#isString) {
      if (this.#endsString(character) && this.#depth === 0) this.#finishValue();
      else return;
    } else if (character === '"') this.#isString = true;
    else if (character === '{' || character === '[') this.#depth++;
    else if (character === '}' || character === ']') {
      this.#depth--;
      if (this.#depth < 0) throw new Error('a bracket is closed that was not opened');
      if (this.#depth === 0) this.#finishValue();
    }
  }

  #takeArgument(character: string): void {
    if (this.#value === character) {
      if (character !== '{' && character !== '"' && character !== 'n') throw new Error('arguments must be an object');
      this.#isArgumentsText = character !== '{';
    }
    if (!this.#isArgumentsText) this.#arguments += character;
  }

  /** Called inside strings: returns true for the closing quote. */
  #endsString(character: string): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') {
      this.#isString = false;
      return true;
    }
    return false;
  }

  #finishValue(): void {
    const value: unknown = parsePlain(this.#value);
    if (this.#key === 'name') {
      if (typeof value !== 'string' || value === '') throw new Error('the name of a call must be a text');
      this.#name = value;
    } else if (argumentKeys.has(this.#key!)) {
      if (this.#isArgumentsText) this.#arguments = argumentsInText(value);
      this.#isArgumentsRead = true;
    }
    this.#value = '';
    this.#state = 'comma';
    this.isDone = this.#hasArgumentsAlone;
  }

  #send(events: CallEvent[]): void {
    if (this.#name === null) return;
    const mayBegin = this.#arguments !== '' || this.isDone;
    if (!mayBegin) return;
    if (!this.#hasBegun) events.push({ kind: 'begin', name: this.#name });
    this.#hasBegun = true;
    if (this.isDone && !this.#isArgumentsRead) this.#arguments = '{}';
    if (this.#arguments.length === this.#sent) return;
    events.push({ kind: 'arguments', text: this.#arguments.slice(this.#sent) });
    this.#sent = this.#arguments.length;
  }
}

/** The text is not a call from this character on. */
export class NotACall extends Error {
  override name = 'NotACall';
  readonly rest: string;

  constructor(rest: string, options: ErrorOptions) {
    super('the text is not a call', options);
    this.rest = rest;
  }
}

/** Some models write the arguments as JSON in a string, or none as null. */
function argumentsInText(value: unknown): string {
  if (value === null) return '{}';
  const inner: unknown = parsePlain(value as string);
  if (!isObject(inner)) throw new Error('arguments must be an object');
  return value as string;
}
