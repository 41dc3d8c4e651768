import { z } from 'zod';
import { jsonObject, optional } from '../wire.ts';
import { described, resource } from './resource.ts';

export const datasets = resource('datasets', {
  noun: 'Dataset',
  body: { name: optional(z.string()), description: optional(z.string()), rows: z.array(jsonObject()) },
  created: {},
  read: { ...described, rows: z.string() },
});
