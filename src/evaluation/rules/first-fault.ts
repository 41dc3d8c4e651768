import { compileSchema, type JsonSchema } from '../../domain/json-schema.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { RuleError } from './apply-rule.ts';

/** The first value that does not match a schema, by its position, and what is wrong with it. */
export type SchemaFault = { index: number; message: string };

/** @param values JSON texts @throws RuleError if the schema cannot be used */
export function firstFault(schema: JsonSchema, values: string[]): SchemaFault | null {
  const check = compiled(schema);
  for (const [index, value] of values.entries()) {
    const message = check(parsePlain(value));
    if (message !== null) return { index, message };
  }
  return null;
}

function compiled(schema: JsonSchema): ReturnType<typeof compileSchema> {
  try {
    return compileSchema(schema);
  } catch (error) {
    throw new RuleError(`The schema cannot be used: ${(error as Error).message}`);
  }
}
