import { isObject } from '../../../util/json/own-member.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import { checkJsonDepth, checkLength, constraintLimits } from '../limits.ts';
import { type Alternative, Alternatives } from './alternatives.ts';
import { Conjunction } from './conjunction.ts';
import {
  choice,
  type Expression,
  ebnf,
  nothing,
  optional,
  repeat,
  rule,
  sequence,
  text,
  writeGrammar,
} from './grammar-rules.ts';
import type { JsonType } from './keywords.ts';
import { anyText, bothOf, choiceOf, type Language, literal, noText, notOf } from './language.ts';
import { Items, Properties } from './members.ts';
import { multiplesOf } from './multiples.ts';
import { jsonNotation, type Notation } from './notation.ts';
import { anyInteger, anyNumber, integers, numbers } from './number-rules.ts';
import { memberRules } from './object-rules.ts';
import { otherThan } from './other-names.ts';
import { Satisfaction } from './satisfies.ts';
import { inside, SchemaTree } from './schema-tree.ts';
import type { JsonSpacing } from './spacing.ts';
import { type Rules, stringText } from './string-rules.ts';

const rulesMax = 20_000;
const patternsMax = 3;

/**
 * A grammar of JSON values that satisfy a schema, as EBNF. Members are written in the order of the schema. Values that
 * the schema merely does not forbid, such as unnamed members, are left out if it names some.
 *
 * @throws with the place and the reason if a grammar cannot enforce the schema, or if nothing satisfies it
 */
export function jsonGrammar(schema: unknown, spacing: JsonSpacing): string {
  return valueGrammar(schema, jsonNotation(spacing));
}

/** The same for values in another notation. */
export function valueGrammar(schema: unknown, notation: Notation): string {
  checkJsonDepth(schema);
  checkLength(JSON.stringify(schema), constraintLimits.schemaLength);
  return new ValueGrammar(schema, notation).write();
}

/** A schema that is sent as text. @throws if it is not JSON */
export function parsedSchema(text: string): unknown {
  if (text.trim() === '') throw new Error('it is empty');
  try {
    return parsePlain(text);
  } catch (error) {
    throw new Error(`it is not JSON (${(error as Error).message})`);
  }
}

class ValueGrammar {
  readonly #alternatives: Alternatives;
  readonly #satisfaction: Satisfaction;
  readonly #tree: SchemaTree;
  readonly #notation: Notation;
  readonly #rules = new Map<string, Expression>();
  /** The rules of schemas, by place. */
  readonly #nodes = new Map<string, string>();
  readonly #waiting: { name: string; places: readonly string[] }[] = [];
  #lastRule = 0;

  constructor(schema: unknown, notation: Notation) {
    this.#tree = new SchemaTree(schema);
    this.#alternatives = new Alternatives(this.#tree);
    this.#satisfaction = new Satisfaction(this.#alternatives);
    this.#notation = notation;
    for (const [name, body] of [...notation.strings.rules, ...this.#anyRules()]) this.#rules.set(name, body);
  }

  write(): string {
    const root = this.#newRule();
    this.#waiting.push({ name: root, places: ['#'] });
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      this.#rules.set(next.name, this.#schema(next.places));
    }
    const written = writeGrammar(this.#rules, root);
    if (written === null) throw new Error('nothing satisfies it');
    checkLength(written, constraintLimits.writtenLength);
    return written;
  }

  /** A reference to the rule for values that satisfy the schemas at some places. */
  #node(places: readonly string[]): Expression {
    const meant = [...new Set(places)].filter((place) => this.#tree.value(place) !== true);
    if (meant.length === 0) return rule('value');
    const key = meant.join('\n');
    const known = this.#nodes.get(key);
    if (known) return rule(known);
    const name = this.#newRule();
    this.#nodes.set(key, name);
    this.#waiting.push({ name, places: meant });
    return rule(name);
  }

  #newRule = (): string => {
    if (this.#lastRule === rulesMax) throw new Error(`its grammar has more than ${rulesMax} rules`);
    return `n${this.#lastRule++}`;
  };

  #schema(places: readonly string[]): Expression {
    return choice(this.#alternatives.of(places).map((alternative) => this.#alternative(alternative)));
  }

  #alternative(alternative: Alternative): Expression {
    const all = new Conjunction(alternative);
    this.#checkPicks(all);
    const { values } = all;
    if (values) {
      return choice(values.filter((value) => this.#satisfaction.of(value, all)).map((value) => this.#literal(value)));
    }
    const types = all.typesToGenerate;
    if (types.size === 6 && all.parts.every(({ schema }) => schema.format === undefined)) return rule('value');
    return choice([...types].map((type) => this.#type(type, all)));
  }

  /** A value must be in one member of `oneOf` only. */
  #checkPicks(all: Conjunction): void {
    for (const [place, member] of all.picks) {
      const members = this.#tree.value(place) as unknown[];
      for (let index = 0; index < members.length; index++) {
        if (index === member) continue;
        const others = this.#alternatives.of([inside(place, index)]).map((each) => new Conjunction(each));
        if (others.every((other) => this.#satisfaction.areApart(all, other))) continue;
        const both = `values of member ${member} may satisfy member ${index} too`;
        throw new Error(`${place} cannot be enforced while generating, because ${both}. Use anyOf`);
      }
    }
  }

  #type(type: JsonType, all: Conjunction): Expression {
    switch (type) {
      case 'null':
        return text('null');
      case 'boolean':
        return choice([text('true'), text('false')]);
      case 'number':
        return this.#number(all);
      case 'string':
        return placed(all, () => this.#string(all.languages, all.lengths));
      case 'object':
        return placed(all, () => this.#object(all));
      case 'array':
        return this.#array(all);
      default:
        return type satisfies never;
    }
  }

  #number(all: Conjunction): Expression {
    const { range, isInteger, multiples } = all;
    const [multiple, ...others] = multiples;
    if (multiple) {
      const found = multiplesOf(multiple.value, range, multiple.place);
      if (found === 'integers') return this.#withoutMultiples(all, others.length, () => integers(range));
      const values = found.filter((value) => this.#satisfaction.of(value, all));
      return choice(values.map((value) => text(JSON.stringify(value))));
    }
    return placed(all, () => (isInteger ? integers(range) : numbers(range)));
  }

  #withoutMultiples({ multiples }: Conjunction, others: number, make: () => Expression): Expression {
    if (others > 0 && multiples.some(({ value }) => value !== 1)) {
      throw new Error(`${multiples[1]!.place} beside another multipleOf cannot be enforced while generating`);
    }
    return make();
  }

  #string(languages: readonly Language[], lengths: [number, number | null]): Expression {
    return stringText(languages, lengths, this.#stringRules);
  }

  get #stringRules(): Rules {
    return { rules: this.#rules, newRule: this.#newRule, spelling: this.#notation.strings };
  }

  #object(all: Conjunction): Expression {
    const { open, close, colon, comma } = this.#notation.punctuation;
    const properties = new Properties(all);
    const { required } = properties;
    const names = this.#languageOfNames(properties.placesOfNames);
    const pair = (key: Expression, places: readonly string[]) => sequence(key, ebnf(colon), this.#node(places));
    const members = properties.names.map((name) => ({
      isRequired: required.has(name),
      pair: this.#satisfaction.at(name, properties.placesOfNames)
        ? pair(this.#notation.key(name), properties.placesOf(name))
        : nothing,
    }));
    const others = this.#others(properties, names).map(({ language, places }) =>
      pair(this.#notation.otherKey(language, this.#stringRules), places),
    );
    const place = all.parts.find(({ schema }) => schema.minProperties !== undefined)?.place;
    const inner = memberRules({
      members,
      other: others.length === 0 ? null : this.#addRule(choice(others)), // each member refers to it
      counts: [all.largest('minProperties'), all.smallest('maxProperties')],
      comma: ebnf(comma),
      addRule: (body) => this.#addRule(body),
      place: place ?? '#',
    });
    return sequence(ebnf(open('{')), inner, ebnf(close('}')));
  }

  /** The unlisted names, by the patterns that they match, and the places of their schemas. */
  #others(properties: Properties, names: Language): { language: Language; places: string[] }[] {
    const { patterns } = properties;
    if (patterns.length > patternsMax) {
      throw new Error(`patternProperties with more than ${patternsMax} patterns cannot be enforced while generating`);
    }
    const listed = otherThan(properties.names);
    return Array.from({ length: 2 ** patterns.length }, (_, subset) => {
      const matching = patterns.filter((_, index) => subset & (1 << index));
      const languages = patterns.map((pattern) =>
        matching.includes(pattern) ? pattern.language : notOf(pattern.language),
      );
      const language = bothOf([...languages, names, listed]);
      const places = properties.placesOfMatches(new Set(matching.map(({ source }) => source)));
      return { language, places, isWritten: matching.length > 0 || properties.isOpen };
    }).filter(({ language, isWritten }) => isWritten && language !== noText);
  }

  /** What `propertyNames` allows. */
  #languageOfNames(places: readonly string[]): Language {
    if (places.length === 0) return anyText;
    const options = this.#alternatives.of(places).map((alternative): Language => {
      const all = new Conjunction(alternative);
      this.#checkPicks(all);
      if (!all.types.types.has('string')) return noText;
      const { values } = all;
      if (values === null) return all.strings;
      const allowed = values.filter((value) => typeof value === 'string' && this.#satisfaction.of(value, all));
      return choiceOf(allowed.map((value) => literal(value as string)));
    });
    return choiceOf(options);
  }

  #array(all: Conjunction): Expression {
    const { open, close, comma } = this.#notation.punctuation;
    const items = new Items(all);
    const max = all.smallest('maxItems');
    const min = all.largest('minItems');
    const unique = all.parts.find(({ schema }) => schema.uniqueItems === true);
    if (unique && (max === null || max > 1)) {
      throw new Error(`${unique.place}/uniqueItems cannot be enforced while generating`);
    }
    if (max !== null && max < min) return nothing;
    const prefix = Math.min(items.prefix, max ?? Number.POSITIVE_INFINITY);
    const first = Array.from({ length: prefix }, (_, index) => this.#node(items.placesOf(index)));
    const mayGoOn = items.isOpen || min > prefix;
    const more = max === null ? null : max - prefix;
    const rest = this.#node(items.placesOf(prefix));
    const following =
      mayGoOn && more !== 0 ? repeat(sequence(ebnf(comma), rest), Math.max(0, min - prefix), more) : null;
    const separated = first.flatMap((item, index) => (index === 0 ? [item] : [ebnf(comma), item]));
    const brackets = (...inner: Expression[]) => sequence(ebnf(open('[')), ...inner, ebnf(close(']')));
    if (prefix > 0) return brackets(...separated, ...(following ? [following] : []));
    if (!following) return brackets();
    const { min: least, max: most } = following as Expression & { kind: 'repeat' };
    const filled = sequence(
      rest,
      repeat(sequence(ebnf(comma), rest), Math.max(0, least - 1), most === null ? null : most - 1),
    );
    return brackets(least === 0 ? optional(filled) : filled);
  }

  #literal(value: unknown): Expression {
    const { open, close, colon, comma } = this.#notation.punctuation;
    const separated = (parts: Expression[]) =>
      parts.flatMap((part, index) => (index === 0 ? [part] : [ebnf(comma), part]));
    if (Array.isArray(value)) {
      return sequence(ebnf(open('[')), ...separated(value.map((item) => this.#literal(item))), ebnf(close(']')));
    }
    if (typeof value === 'string') return this.#notation.strings.literal(value);
    if (!isObject(value)) return text(JSON.stringify(value));
    const members = Object.entries(value).map(([name, member]) =>
      sequence(this.#notation.key(name), ebnf(colon), this.#literal(member)),
    );
    return sequence(ebnf(open('{')), ...separated(members), ebnf(close('}')));
  }

  #addRule(body: Expression): Expression {
    const name = this.#newRule();
    this.#rules.set(name, body);
    return rule(name);
  }

  #anyRules(): [string, Expression][] {
    const { open, close, colon, comma } = this.#notation.punctuation;
    const list = (item: Expression) => optional(sequence(item, repeat(sequence(ebnf(comma), item), 0, null)));
    const member = sequence(this.#notation.otherKey(anyText, this.#stringRules), ebnf(colon), rule('value'));
    return [
      ['value', choice(['number', 'string', 'word', 'list', 'object'].map(rule))],
      ['number', anyNumber],
      ['integer', anyInteger],
      ['word', choice(['true', 'false', 'null'].map(text))],
      ['list', sequence(ebnf(open('[')), list(rule('value')), ebnf(close(']')))],
      ['object', sequence(ebnf(open('{')), list(member), ebnf(close('}')))],
    ];
  }
}

/** Adds the place of a schema to errors without one. */
function placed({ parts }: Conjunction, make: () => Expression): Expression {
  try {
    return make();
  } catch (error) {
    const { message } = error as Error;
    throw message.startsWith('#') || parts.length === 0 ? error : new Error(`${parts[0]!.place}: ${message}`);
  }
}
