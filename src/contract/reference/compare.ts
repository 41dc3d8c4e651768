/** A JSON Schema, or a part of one. */
// biome-ignore lint/suspicious/noExplicitAny: schemas are walked by their keywords
export type Schema = any;

/** A difference between two schemas: the path to it, and both sides. */
export type Difference = { path: string; ours: string; reference: string };

/**
 * Compares what two JSON Schemas accept, not how they express it: fields, types, required fields, defaults, bounds,
 * enums. `resolve` follows the `$ref`s of each side. A response may always contain what the reference contains only
 * sometimes.
 */
export function compareSchemas(
  ours: Schema,
  reference: Schema,
  resolve: { ours(ref: string): Schema; reference(ref: string): Schema },
  { isAnswer }: { isAnswer: boolean },
): Difference[] {
  const differences: Difference[] = [];
  const visited = new Map<Schema, Set<Schema>>();

  function visit(path: string, left: Schema, right: Schema): void {
    const seen = visited.get(left) ?? new Set();
    if (seen.has(right)) return; // schemas refer to themselves
    visited.set(left, seen.add(right));
    const ourKinds = kindsOf(left, resolve.ours);
    const referenceKinds = kindsOf(right, resolve.reference);
    const differ = (what: string, a: unknown, b: unknown) => {
      const [x, y] = [JSON.stringify(a) ?? 'absent', JSON.stringify(b) ?? 'absent'];
      if (x !== y) differences.push({ path: path + what, ours: x, reference: y });
    };
    differ('', [...ourKinds.keys()].sort(), [...referenceKinds.keys()].sort());
    for (const [kind, mine] of ourKinds) {
      const theirs = referenceKinds.get(kind);
      if (!theirs) continue;
      for (const word of ['enum', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']) {
        differ(`#${word}`, mine[word], theirs[word]);
      }
      if (kind === 'array') visit(`${path}[]`, mine.items || {}, theirs.items || {});
      if (kind === 'object') visitObject(path, mine, theirs, differ);
    }
  }

  function visitObject(path: string, mine: Schema, theirs: Schema, differ: (what: string, a: unknown, b: unknown) => void) {
    const names = (schema: Schema) => Object.keys(schema.properties ?? {}).sort();
    differ('#fields', names(mine), names(theirs));
    const required = (mine.required ?? []).filter((name: string) => !isAnswer || theirs.required?.includes(name));
    differ('#required', required.sort(), [...(theirs.required ?? [])].sort());
    for (const name of names(mine)) {
      const [left, right] = [mine.properties[name], theirs.properties?.[name]];
      if (right === undefined) continue;
      visit(`${path}.${name}`, left, right);
      const defaults = [defaultOf(left), defaultOf(right)];
      if (defaults[0] !== defaults[1]) {
        differences.push({ path: `${path}.${name}#default`, ours: defaults[0]!, reference: defaults[1]! });
      }
    }
    const [left, right] = [mine.additionalProperties, theirs.additionalProperties];
    if (typeof left === 'object' && typeof right === 'object') visit(`${path}.*`, left, right);
  }

  visit('', ours, reference);
  return differences;
}

/** The alternatives of a schema by JSON type; a schema that accepts everything is only `any`. */
function kindsOf(schema: Schema, resolve: (ref: string) => Schema): Map<string, Schema> {
  const kinds = new Map<string, Schema>();
  const add = (part: Schema): void => {
    if (part.$ref) return add(resolve(part.$ref));
    for (const option of part.anyOf ?? part.oneOf ?? []) add(option);
    if (part.anyOf || part.oneOf) return;
    if (part.allOf?.length === 1) return add(part.allOf[0]);
    const types = part.type === undefined ? [typeOfEnum(part)] : [part.type].flat();
    for (const type of types) kinds.set(type, mergeObjects(kinds.get(type), part));
  };
  add(schema);
  return kinds.has('any') ? new Map([['any', {}]]) : kinds;
}

function typeOfEnum(part: Schema): string {
  const values = part.enum ?? ('const' in part ? [part.const] : []);
  return values.length > 0 ? typeof values[0] : 'any';
}

/** Two alternatives of one type, such as the operators of a query: combines the fields of both. */
function mergeObjects(first: Schema | undefined, second: Schema): Schema {
  if (first === undefined) return second;
  const required = (first.required ?? []).filter((name: string) => second.required?.includes(name));
  return { ...first, properties: { ...first.properties, ...second.properties }, required };
}

function defaultOf(schema: Schema): string {
  return JSON.stringify(schema.default) ?? 'absent';
}
