import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional, text } from '../wire.ts';

export const linkToRegistry = defineEndpoint({
  method: 'POST',
  path: '/link_to_registry',
  group: 'Images and registry',
  name: 'Link To Registry',
  description:
    "Links a version of an object to a collection of an entity's registry and answers with its index there. `heddle registry " +
    'list` shows all links.',
  body: z.object({
    ref: text().min(1),
    target: z
      .object({ portfolio_name: text(), entity_name: text(), project_name: text() })
      .meta({ id: 'LinkToRegistryTarget' }),
    aliases: z.array(text()).default([]),
  }),
  answer: { kind: 'json', schema: z.object({ version_index: optional(int()) }) },
});
