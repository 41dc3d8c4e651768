import { isCredentialKey, redactCredentials } from '../domain/calls/redaction.ts';
import { JsonDepthError, JsonSyntaxError } from '../util/json/errors.ts';
import type { JsonText } from '../util/json/json-text.ts';
import { JsonNumber, type LosslessJson, parseLossless } from '../util/json/lossless.ts';
import { parseJson } from '../util/json/parse.ts';
import { nest } from './nest.ts';
import type { AnyValue, KeyValue } from './proto/otlp.generated.ts';
import { EmbeddedJson, type Tree, type TreeObject } from './tree.ts';

/** Attributes as a tree, and what the tree does not show: which of its values were sent in another form. */
export type Attributes = { tree: TreeObject; sentAs: Map<string, SentAs> };

/** `text`: shown parsed. `bytes`: shown as base64. `double`: a number that JSON cannot express, shown as text. */
export type SentAs = 'text' | 'bytes' | 'double';

/** Nests attributes by the dots of their keys. Text that is a JSON object or array becomes that value. */
export function readAttributes(pairs: KeyValue[], redacts: boolean): Attributes {
  const reader = new ValueReader(redacts);
  return { tree: nest(reader.readAll(pairs)), sentAs: reader.sentAs };
}

/** Embedded JSON may be nested less deeply than JSON in general, because it is inserted into other JSON. */
const embeddedDepthMax = 150;

class ValueReader {
  readonly sentAs = new Map<string, SentAs>();
  readonly #redacts: boolean;

  constructor(redacts: boolean) {
    this.#redacts = redacts;
  }

  readAll(pairs: KeyValue[]): [string, Tree][] {
    return pairs.map(({ key, value }) => [key, this.#readTop(key, value)]);
  }

  /** The value under a top-level key whose text may be JSON. */
  #readTop(key: string, value: AnyValue | undefined): Tree {
    if (value?.value.case !== 'stringValue') return this.#read(key, value);
    const text = value.value.value;
    const first = text[0];
    const embedded = first === '{' || first === '[' ? embeddedJson(text) : null;
    if (embedded === null) return this.#text(key, text);
    this.sentAs.set(key, 'text');
    if (text.includes('NaN') || text.includes('Infinity')) this.#noteNonFinite(key, parseLossless(text));
    return new EmbeddedJson(this.#redacts ? redactCredentials(embedded.text) : embedded.text);
  }

  #read(path: string, { value }: Pick<AnyValue, 'value'> = { value: { case: undefined } }): Tree {
    switch (value.case) {
      case undefined:
        return null;
      case 'stringValue':
        return this.#text(path, value.value);
      case 'boolValue':
        return value.value;
      case 'intValue':
        return new JsonNumber(value.value.toString());
      case 'doubleValue':
        return this.#double(path, value.value);
      case 'bytesValue':
        this.sentAs.set(path, 'bytes');
        return Buffer.from(value.value).toString('base64');
      case 'arrayValue':
        return value.value.values.map((element, index) => this.#read(`${path}.${index}`, element));
      case 'kvlistValue':
        return new Map(value.value.values.map((pair) => [pair.key, this.#read(`${path}.${pair.key}`, pair.value)]));
      default:
        return value satisfies never;
    }
  }

  /** Numbers that JSON cannot express; Python writes them into embedded JSON anyway. */
  #noteNonFinite(path: string, value: LosslessJson): void {
    if (value instanceof JsonNumber) {
      if (/[NI]/.test(value.text)) this.sentAs.set(path, 'double');
    } else if (Array.isArray(value)) {
      for (const [index, element] of value.entries()) this.#noteNonFinite(`${path}.${index}`, element);
    } else if (value instanceof Map) {
      for (const [name, member] of value) this.#noteNonFinite(`${path}.${name}`, member);
    }
  }

  #text(path: string, text: string): string {
    const isCredential = this.#redacts && text !== '' && isCredentialKey(path.slice(path.lastIndexOf('.') + 1));
    return isCredential ? 'REDACTED' : text;
  }

  /** A double stays a double: 1 is written `1.0`. */
  #double(path: string, number: number): Tree {
    if (Number.isFinite(number)) {
      const text = Object.is(number, -0) ? '-0' : String(number);
      return new JsonNumber(/[.e]/.test(text) ? text : `${text}.0`);
    }
    this.sentAs.set(path, 'double');
    return String(number); // `NaN`, `Infinity` or `-Infinity`, as in JSON bodies
  }
}

function embeddedJson(text: string): JsonText | null {
  try {
    return parseJson(text, { keep: true, depthMax: embeddedDepthMax }) as JsonText; // `keep: true` keeps the whole
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonDepthError) return null;
    throw error;
  }
}
