import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { optional } from '../../../contract/wire.ts';
import { type LosslessObject, stringifyLossless } from '../../../util/json/lossless.ts';
import { baseObject } from './base-object.ts';
import { anyObject, flag } from './fields.ts';
import { fromFields } from './value-fields.ts';

/** What an annotator is asked, as a JSON Schema for the answer. */
export const annotationSpec = baseObject('AnnotationSpec', {
  field_schema: anyObject()
    .default({})
    .superRefine((schema, context) => {
      const found = schemaFault(JSON.parse(stringifyLossless(fromFields(schema) as LosslessObject)));
      if (found) context.addIssue({ code: 'custom', message: `This is no JSON Schema: ${found}`, input: null });
    }),
  unique_among_creators: flag().default(false),
  op_scope: optional(z.array(z.string())),
});

/** What keeps a value from being a JSON Schema of the draft it names, or of draft 7; null when nothing does. */
function schemaFault(schema: { $schema?: unknown }): string | null {
  const draft = String(schema.$schema ?? '');
  const Validator = draft.includes('2020-12') ? Ajv2020 : draft.includes('2019-09') ? Ajv2019 : Ajv;
  // Checked against the draft's own schema; nothing of a user's schema is compiled.
  const validator = new Validator({ strict: false, validateFormats: false });
  const { $schema: _, ...body } = schema;
  return validator.validateSchema(body) === true ? null : validator.errorsText(validator.errors);
}
