import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';

export type JsonSchema = { $schema?: unknown; [keyword: string]: unknown };

/** Why a value is not a JSON Schema of the draft it names, or of draft 7; null if it is one. */
export function schemaFault(schema: JsonSchema): string | null {
  const validator = validatorOf(schema);
  const { $schema: _, ...body } = schema;
  // Checked against the draft's own schema; a user's schema is not compiled.
  return validator.validateSchema(body) === true ? null : validator.errorsText(validator.errors);
}

/**
 * Compiles a schema to a function that returns what is wrong with a value, null if nothing is. @throws if it cannot be
 * compiled
 */
export function compileSchema(schema: JsonSchema): (value: unknown) => string | null {
  const validator = validatorOf(schema);
  const { $schema: _, ...body } = schema;
  const check = validator.compile(body);
  return (value) => (check(value) ? null : validator.errorsText(check.errors, { dataVar: 'value' }));
}

function validatorOf({ $schema }: JsonSchema) {
  const draft = String($schema ?? '');
  const Validator = draft.includes('2020-12') ? Ajv2020 : draft.includes('2019-09') ? Ajv2019 : Ajv;
  return new Validator({ strict: false, validateFormats: false });
}
