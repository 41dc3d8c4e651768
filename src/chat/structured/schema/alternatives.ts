import { checkDepth, checkKeywords } from './keywords.ts';
import { inside, type Schema, type SchemaTree } from './schema-tree.ts';

/** A schema without the keywords that combine schemas, and its place. */
export type Part = { place: string; schema: Schema };

/** Schemas that a value must satisfy together, and the chosen member of each `oneOf` that they are in. */
export type Alternative = { parts: readonly Part[]; picks: ReadonlyMap<string, number> };

const alternativesMax = 256;
const walksMax = 20_000;
/** Cyclic references and combinations. */
const chainMax = 200;

/**
 * Resolves `$ref`, `allOf`, `anyOf` and `oneOf`: a value satisfies the schemas at some places if and only if it
 * satisfies one of the alternatives.
 */
export class Alternatives {
  readonly #tree: SchemaTree;
  readonly #known = new Map<string, Alternative[]>();
  #walks = 0;

  constructor(tree: SchemaTree) {
    this.#tree = tree;
  }

  of(places: readonly string[]): Alternative[] {
    return product([[nothingMore], ...places.map((place) => this.#at(place, []))], places[0] ?? '#');
  }

  #at(place: string, from: readonly string[]): Alternative[] {
    const known = this.#known.get(place);
    if (known) return known;
    if (from.includes(place)) throw new Error(`${place} refers to itself`);
    if (from.length > chainMax) throw new Error(`${place} is reached through more than ${chainMax} schemas`);
    checkDepth(place);
    if (++this.#walks > walksMax) throw new Error('it combines too many schemas');
    const found = this.#walk(place, [...from, place]);
    this.#known.set(place, found);
    return found;
  }

  #walk(place: string, from: readonly string[]): Alternative[] {
    const schema = this.#tree.at(place);
    if (typeof schema === 'boolean') return schema ? [nothingMore] : [];
    checkKeywords(schema, place);
    const { $ref, allOf = [], anyOf, oneOf } = schema as { [keyword: string]: unknown[] | undefined };
    const member = (keyword: string) => (_: unknown, index: number) => this.#at(inside(place, keyword, index), from);
    const factors = [
      [{ parts: [{ place, schema }], picks: new Map() }],
      ...($ref === undefined ? [] : [this.#at(this.#tree.target($ref, place), from)]),
      ...allOf.map(member('allOf')),
      ...(anyOf === undefined ? [] : [anyOf.flatMap(member('anyOf'))]),
      ...(oneOf === undefined ? [] : [this.#picked(oneOf.map(member('oneOf')), inside(place, 'oneOf'))]),
    ];
    return product(factors, place);
  }

  #picked(members: Alternative[][], place: string): Alternative[] {
    if (members.length === 1) return members[0]!;
    return members.flatMap((member, index) =>
      member.map(({ parts, picks }) => ({ parts, picks: new Map([...picks, [place, index]]) })),
    );
  }
}

const nothingMore: Alternative = { parts: [], picks: new Map() };

function product(factors: readonly Alternative[][], place: string): Alternative[] {
  return factors.reduce((some, others) => {
    if (some.length * others.length > alternativesMax) {
      throw new Error(`${place}: its anyOf and oneOf make more than ${alternativesMax} combinations`);
    }
    return some.flatMap((one) => others.flatMap((other) => joined(one, other) ?? []));
  });
}

/** Null if they chose different members of one `oneOf`. */
function joined(one: Alternative, other: Alternative): Alternative | null {
  for (const [place, member] of one.picks) if ((other.picks.get(place) ?? member) !== member) return null;
  const parts = new Map([...one.parts, ...other.parts].map((part) => [part.place, part]));
  return { parts: [...parts.values()], picks: new Map([...one.picks, ...other.picks]) };
}
