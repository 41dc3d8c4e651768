import { z } from 'zod';
import { anyJson } from '../wire.ts';

/**
 * A JSON object or null. The object is kept as text, because a prompt shows numbers as they were written: 2.0, not 2.
 */
export function objectText() {
  const schema = anyJson({ anyOf: [{ type: 'object', additionalProperties: true }, { type: 'null' }] });
  return schema
    .transform((text, context): string | null => {
      if (text.kind === 'null') return null;
      if (text.kind === 'object') return text.text;
      const params = { type: 'dict_type' };
      context.addIssue({ code: 'custom', message: 'Input should be a valid dictionary', params, input: null });
      return z.NEVER;
    })
    .optional();
}

/** The arguments of a call: JSON text, or the JSON itself, which is converted to text. */
export function argumentsText() {
  return anyJson()
    .transform((text) => (text.kind === 'string' ? (JSON.parse(text.text) as string) : text.text))
    .optional();
}
