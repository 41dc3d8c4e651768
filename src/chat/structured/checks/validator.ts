import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { isObject } from '../../../util/json/own-member.ts';

/**
 * A function that returns where a value violates a schema: the place of a keyword, or null.
 * @throws if the validator does not accept the schema
 */
export function validatorOf(schema: unknown): (value: unknown) => string | null {
  const options = { strict: false, logger: false, code: { regExp } } as const;
  const ajv = hasListsOfItems(schema) ? new Ajv2019(options) : new Ajv2020(options);
  ajvFormats.default(ajv);
  const { $schema: _, $id: __, ...body } = isObject(schema) ? schema : { allOf: [schema] };
  const validate = ajv.compile(body);
  return (value) => (validate(value) ? null : (validate.errors?.[0]?.schemaPath ?? '#'));
}

/** `items` as a list, which newer drafts call `prefixItems`. */
function hasListsOfItems(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasListsOfItems);
  if (!isObject(schema)) return false;
  return Array.isArray(schema.items) || Object.values(schema).some(hasListsOfItems);
}

/** Also accepts patterns that are valid only without the flag `u`, and Python's named groups. */
const regExp = Object.assign(
  (pattern: string, flags: string) => {
    const source = pattern.replaceAll('(?P<', '(?<');
    try {
      return new RegExp(source, flags);
    } catch {
      return new RegExp(source);
    }
  },
  { code: 'RegExp' },
);
