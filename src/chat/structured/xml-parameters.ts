import { isObject } from '../../util/json/own-member.ts';
import { jsonGrammar } from './schema/json-grammar.ts';

const annotations = ['title', 'description', 'default', 'examples'];
const ofObject = new Set(['type', 'properties', 'required', 'additionalProperties', ...annotations]);
const ofValue = new Set(['type', ...annotations]);
const plainTypes = new Set(['string', 'integer', 'number', 'boolean']);

/**
 * A schema of parameters that are written as XML, which the grammar library reads itself. It enforces an object with
 * properties of simple types; everything else is rejected with its place.
 */
export function exactXmlParameters(schema: unknown): unknown {
  jsonGrammar(schema, 'any'); // rejects anything but a schema
  if (!isObject(schema)) throw new Error('# must be an object');
  checkKeywords(schema, '#', ofObject);
  const properties = (schema.properties ?? {}) as Record<string, unknown>;
  for (const [name, property] of Object.entries(properties)) {
    const place = `#/properties/${name}`;
    if (!isObject(property) || !plainTypes.has(property.type as string)) {
      throw new Error(`${place}/type must be string, integer, number or boolean`);
    }
    if (!/^[\w.-]+$/.test(name)) throw new Error(`${place} has a name that XML cannot write`);
    checkKeywords(property, place, ofValue);
  }
  const unlisted = ((schema.required ?? []) as string[]).find((name) => !Object.hasOwn(properties, name));
  if (unlisted !== undefined) throw new Error(`#/required names ${JSON.stringify(unlisted)}, which is not a property`);
  return { ...schema, type: 'object', additionalProperties: false };
}

function checkKeywords(schema: Record<string, unknown>, place: string, known: ReadonlySet<string>): void {
  const unknown = Object.keys(schema).find((keyword) => !known.has(keyword));
  if (unknown !== undefined) throw new Error(`${place}/${unknown} cannot be enforced for parameters in XML`);
}
