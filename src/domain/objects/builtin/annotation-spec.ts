import { z } from 'zod';
import { optional } from '../../../contract/wire.ts';
import { type LosslessObject, stringifyLossless } from '../../../util/json/lossless.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import { schemaFault } from '../../json-schema.ts';
import { baseObject } from './base-object.ts';
import { anyObject, flag } from './fields.ts';
import { fromFields } from './value-fields.ts';

/** The question to an annotator, as a JSON Schema for the answer. */
export const annotationSpec = baseObject('AnnotationSpec', {
  field_schema: anyObject()
    .default({})
    .superRefine((schema, context) => {
      const found = schemaFault(parsePlain(stringifyLossless(fromFields(schema) as LosslessObject)));
      if (found) context.addIssue({ code: 'custom', message: `This is not a JSON Schema: ${found}`, input: null });
    }),
  unique_among_creators: flag().default(false),
  op_scope: optional(z.array(z.string())),
});
