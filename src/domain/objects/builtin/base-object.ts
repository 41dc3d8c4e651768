import { z } from 'zod';
import { optional } from '../../../contract/wire.ts';
import { model } from './fields.ts';

/** A class whose instances are published on their own: each has a name and a description. */
export function baseObject<Fields extends Record<string, z.ZodType>>(
  name: string,
  fields: Fields,
  bases: string[] = ['BaseObject', 'BaseModel'],
) {
  return model(name, { name: optional(z.string()), description: optional(z.string()), ...fields }, { bases });
}
