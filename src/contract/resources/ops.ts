import { z } from 'zod';
import { optional } from '../wire.ts';
import { resource } from './resource.ts';

export const ops = resource('ops', {
  noun: 'Op',
  body: { name: optional(z.string()), source_code: optional(z.string()) },
  created: {},
  read: { code: z.string() },
});
