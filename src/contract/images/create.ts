import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, int, jsonObject, optional } from '../wire.ts';

const inputs = z
  .object({ model: z.string(), prompt: z.string(), n: optional(int()) })
  .meta({ id: 'ImageGenerationRequestInputs' });

export const imageCreate = defineEndpoint({
  method: 'POST',
  path: '/image/create',
  group: 'Images and registry',
  name: 'Image Create',
  description:
    'Generates images with a model of OpenAI or of a published `Provider`. The images are stored as files of the project. ' +
    'If the model fails, the status is 200 and `response` is `{"error": "…"}`.',
  body: z.object({
    project_id: z.string(),
    inputs,
    wb_user_id: optional(z.string()),
    track_llm_call: bool().nullable().default(true),
  }),
  answer: {
    kind: 'json',
    schema: z
      .object({ response: jsonObject(), weave_call_id: optional(z.string()) })
      .meta({ id: 'ImageGenerationCreateRes' }),
  },
});

export type ImageInputs = z.output<typeof inputs>;
