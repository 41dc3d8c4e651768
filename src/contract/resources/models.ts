import { z } from 'zod';
import { optionalJsonObject } from '../wire.ts';
import { described, resource } from './resource.ts';

export const models = resource('models', {
  noun: 'Model',
  body: { ...described, source_code: z.string(), attributes: optionalJsonObject() },
  created: { model_ref: z.string() },
  read: { ...described, source_code: z.string(), attributes: optionalJsonObject() },
});
