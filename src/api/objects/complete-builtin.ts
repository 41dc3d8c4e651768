import { z } from 'zod';
import { validate } from '../../contract/validate.ts';

/** Completes a value with its class. @throws ValidationError that points into the body of the request. */
export function completeBuiltin(schema: z.ZodType, fields: unknown): unknown {
  const body = z.object({ obj: z.object({ val: schema }) });
  return validate(body, { obj: { val: fields } }, 'body').obj.val;
}
