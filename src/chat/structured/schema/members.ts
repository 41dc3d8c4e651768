import type { Conjunction } from './conjunction.ts';
import { patternAt } from './conjunction.ts';
import { includes, type Language } from './language.ts';
import { inside, type Schema } from './schema-tree.ts';

/** What schemas require of the members of an object: for each name, the places of the schemas of its value. */
export class Properties {
  readonly #all: Conjunction;
  /** The patterns of names, with the places of their schemas. */
  readonly patterns: { source: string; language: Language }[];

  constructor(all: Conjunction) {
    this.#all = all;
    const found = new Map<string, Language>();
    for (const { schema, place } of all.parts) {
      for (const source of Object.keys((schema.patternProperties ?? {}) as Schema)) {
        found.set(source, patternAt(source, inside(place, 'patternProperties', source), 'search'));
      }
    }
    this.patterns = [...found].map(([source, language]) => ({ source, language }));
  }

  /** In the order in which they are written. */
  get names(): string[] {
    const declared = this.#all.parts.flatMap(({ schema }) => Object.keys((schema.properties ?? {}) as Schema));
    return [...new Set([...declared, ...this.required])];
  }

  get required(): Set<string> {
    return new Set(this.#all.parts.flatMap(({ schema }) => (schema.required ?? []) as string[]));
  }

  /** Whether names outside `names` and the patterns are written: only if a schema describes them. */
  get isOpen(): boolean {
    const { parts } = this.#all;
    if (parts.some(({ schema }) => restOf(schema) !== null)) return true;
    const isDeclared = ({ schema }: { schema: Schema }) =>
      (schema.properties ?? schema.patternProperties) !== undefined;
    return this.required.size === 0 && !parts.some(isDeclared);
  }

  placesOf(name: string): string[] {
    return this.#places((language) => includes(language, name), name);
  }

  /** The places for names that match these patterns and no others. */
  placesOfMatches(matching: ReadonlySet<string>): string[] {
    return this.#places((_, source) => matching.has(source), null);
  }

  /** The places of the schemas of all names. */
  get placesOfNames(): string[] {
    return this.#all.parts.flatMap(({ schema, place }) =>
      schema.propertyNames === undefined ? [] : [inside(place, 'propertyNames')],
    );
  }

  #places(matches: (language: Language, source: string) => boolean, name: string | null): string[] {
    const matching = new Set(
      this.patterns.filter(({ language, source }) => matches(language, source)).map(({ source }) => source),
    );
    return this.#all.parts.flatMap(({ schema, place }) => {
      const { properties = {}, patternProperties = {} } = schema as { [keyword: string]: Schema };
      const found = [
        ...(name !== null && Object.hasOwn(properties, name) ? [inside(place, 'properties', name)] : []),
        ...Object.keys(patternProperties)
          .filter((source) => matching.has(source))
          .map((source) => inside(place, 'patternProperties', source)),
      ];
      const rest = restOf(schema);
      return found.length > 0 || rest === null ? found : [inside(place, rest)];
    });
  }
}

/** What schemas require of the items of an array. */
export class Items {
  readonly #all: Conjunction;

  constructor(all: Conjunction) {
    this.#all = all;
  }

  /** How many first items have their own schemas. */
  get prefix(): number {
    return Math.max(0, ...this.#all.parts.map(({ schema }) => prefixOf(schema)?.length ?? 0));
  }

  /** After first items with their own schemas, others are written only if a schema describes them. */
  get isOpen(): boolean {
    return this.prefix === 0 || this.#all.parts.some(({ schema }) => restItems(schema) !== null);
  }

  placesOf(index: number): string[] {
    return this.#all.parts.flatMap(({ schema, place }) => {
      if (index < (prefixOf(schema)?.length ?? 0)) {
        return [inside(place, schema.prefixItems === undefined ? 'items' : 'prefixItems', index)];
      }
      const rest = restItems(schema);
      return rest === null ? [] : [inside(place, rest)];
    });
  }
}

/** The keyword with the schema of unlisted names. */
function restOf(schema: Schema): string | null {
  if (schema.additionalProperties !== undefined) return 'additionalProperties';
  return schema.unevaluatedProperties === undefined ? null : 'unevaluatedProperties';
}

/** The first items, in the newer or the older form. */
function prefixOf(schema: Schema): unknown[] | null {
  if (schema.prefixItems !== undefined) return schema.prefixItems as unknown[];
  return Array.isArray(schema.items) ? schema.items : null;
}

function restItems(schema: Schema): string | null {
  if (Array.isArray(schema.items)) return schema.additionalItems === undefined ? null : 'additionalItems';
  return schema.items === undefined ? null : 'items';
}
