import { z } from 'zod';

const textPart = z.object({ type: z.enum(['input_text', 'output_text']), text: z.string() });
const imagePart = z.object({ type: z.literal('input_image'), image_url: z.string(), detail: z.string().nullish() });
const audioPart = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: z.string(), format: z.enum(['mp3', 'wav']) }),
});
const part = z.union([z.string(), textPart, imagePart, audioPart]);

/** A message whose strings may contain templates: the prompt of a grading model, or of the model being evaluated. */
export const templateMessage = z
  .object({
    role: z.string(),
    content: z.union([part, z.array(part)]),
    type: z.literal('message').nullish(),
  })
  .meta({ id: 'EvalTemplateMessage' });

export type TemplateMessage = z.output<typeof templateMessage>;
export type TemplatePart = z.output<typeof part>;
